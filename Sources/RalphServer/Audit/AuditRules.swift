import NIOHTTP1
import RalphWire

/// What of the requests is recorded, and how it is called there.
struct AuditRules: Sendable {
    private let paths: [String]
    /// Whether a POST to the route of this index only reads.
    private let readsByPost: [Bool]
    /// Where in the path of the route of this index its target stands.
    private let targets: [(place: Int, isOpen: Bool)?]

    private let rights: RouteRights
    private let secrets: [String]
    /// Tokens, tickets and keys that are made here have more hexadecimal digits in a row than any id.
    private static let longestID = 32

    /// - Parameter secrets: keys of the server, which nothing that is recorded may show.
    init(_ table: RouteTable, secrets: [String]) {
        self.secrets = secrets.filter { !$0.isEmpty }
        rights = RouteRights(table)
        paths = table.paths
        readsByPost = paths.map { table.readsByPost($0) }
        targets = paths.map { path in
            let segments = path.split(separator: "/", omittingEmptySubsequences: true)
            return segments.firstIndex { $0.hasPrefix("{") }.map { ($0, segments[$0].hasSuffix("...}")) }
        }
    }

    /// Whether requests of this kind are recorded whatever becomes of them: those that change something.
    func isRecorded(_ method: HTTPMethod, route: Int) -> Bool {
        switch method {
        case .GET, .HEAD, .OPTIONS: false
        case .POST: !(readsByPost.indices.contains(route) && readsByPost[route])
        default: true
        }
    }

    /// Whether requests of this kind are made at will by anybody, or by who may only watch.
    func isOpen(_ method: HTTPMethod, route: Int) -> Bool {
        rights.scope(method, route: route).map { $0 <= .watch } ?? true
    }

    /// The method and the pattern of the route.
    func action(_ method: HTTPMethod, route: Int) -> String {
        let name = RequestFigures.methods.contains(method) ? method.rawValue : RequestFigures.otherMethod
        return "\(name) \(paths.indices.contains(route) ? paths[route] : RequestFigures.unmatched)"
    }

    /// What the path names: the id of a session, a device or a loop, or a name in the library.
    func target(_ path: RequestPath, route: Int) -> String? {
        guard targets.indices.contains(route), let (place, isOpen) = targets[route],
            path.segments.indices.contains(place)
        else { return nil }
        let named = isOpen ? path.segments[place...] : path.segments[place...place]
        let raw = named.joined(separator: "/")
        // What cannot be decoded is shown as it came.
        let target = PercentEncoding.decode(raw[...]) ?? raw
        return holdsSecret(target) ? AuditEntry.withheld : target
    }

    private func holdsSecret(_ target: String) -> Bool {
        if secrets.contains(where: { target.contains($0) }) { return true }
        return target.split { !$0.isHexDigit }.contains { $0.count > Self.longestID }
    }
}
