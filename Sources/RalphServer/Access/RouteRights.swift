import NIOHTTP1
import RalphWire

/// What each route asks of a caller, found by the route's index.
struct RouteRights: Sendable {
    /// By method, for each path of the table; a route without a right of its own is open.
    private let rights: [[String: Scope?]]

    init(_ table: RouteTable) {
        rights = RoutePatterns(table).paths.map { path in
            var methods: [String: Scope?] = [:]
            for route in table.routes where route.path == path { methods[route.method] = .some(route.scope) }
            return methods
        }
    }

    /// The scope that a request needs; `nil`: anybody may.
    ///
    /// What belongs to no route is for callers that could read, or change, something: who may not gets to know
    /// nothing of what there is.
    func scope(_ method: HTTPMethod, route: Int) -> Scope? {
        let name = method == .HEAD ? "GET" : method.rawValue
        let isReading = [.GET, .HEAD, .OPTIONS].contains(method)
        guard rights.indices.contains(route) else { return isReading ? .watch : .start }
        if let scope = rights[route][name] { return scope }
        if method == .OPTIONS, rights[route].values.allSatisfy({ $0 == nil }) { return nil }
        return isReading ? .watch : .start
    }
}
