import NIOHTTP1
import RalphWire

/// What each route asks of a caller, found by the route's index.
struct RouteRights: Sendable {
    /// By method, for each path of the table; a route without a right of its own is open.
    private let rights: [[String: Scope?]]

    /// By method and path, as the router knows them.
    private let endpoints: [String: Scope?]

    init(_ table: RouteTable) {
        var endpoints: [String: Scope?] = [:]
        for route in table.routes {
            endpoints[Self.endpoint(route.method, route.path)] = .some(route.scope)
        }
        self.endpoints = endpoints
        rights = table.paths.map { path in
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

    /// The scope that the router's own endpoint needs, whatever the request's path looked like; `nil`: anybody
    /// may. One that is not in the table is for nobody with less than everything.
    func scope(_ method: String, endpoint path: String) -> Scope? {
        guard let scope = endpoints[Self.endpoint(method, path)] else { return .start }
        return scope
    }

    /// A method and a path without the names of its parameters.
    private static func endpoint(_ method: String, _ path: String) -> String {
        let segments = path.split(separator: "/").map { segment in
            segment.hasPrefix("{") || segment.hasPrefix(":") || segment == "**" ? "*" : segment
        }
        return method + " /" + segments.joined(separator: "/")
    }
}
