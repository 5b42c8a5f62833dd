import RalphWire

/// The routes of the whole interface: what `--routes` prints, what 405 and OPTIONS answer from, and what
/// `docs/http-api.md` is compared with.
struct RouteTable: Sendable {
    /// One method on one path; a segment `{name}` stands for any one segment, `{name...}` at
    /// the end for one or more.
    struct Route: Sendable, Equatable {
        let method: String
        let path: String
        /// What a caller needs; `nil`: anybody may.
        let scope: Scope?
    }

    private(set) var routes: [Route] = []

    init() {}

    /// Adds a route that exists, and says who may use it (`nil`: anybody); HEAD comes with every GET.
    mutating func add(_ method: String, _ path: String, _ scope: Scope?) {
        routes.append(Route(method: method, path: path, scope: scope))
    }

    /// The path of each route once, in their order: a route's index is its place here.
    var paths: [String] {
        var paths: [String] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        return paths
    }

    /// The methods that `path` answers, in the order of `Allow`; empty for an unknown path.
    func methods(for path: String) -> [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        let found = Set(routes.filter { matches($0.path, segments) }.map(\.method))
        guard !found.isEmpty else { return [] }
        var methods = found.sorted()
        if found.contains("GET") {
            methods.insert("HEAD", at: methods.firstIndex(of: "GET").map { $0 + 1 } ?? 0)
        }
        return methods + ["OPTIONS"]
    }

    /// Whether a POST to `path` only reads: who may watch may make it.
    func readsByPost(_ path: String) -> Bool {
        route("POST", path)?.scope == .watch
    }

    /// The route that answers `method` on `path`.
    func route(_ method: String, _ path: String) -> Route? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: true)
        return routes.first { $0.method == method && matches($0.path, segments) }
    }

    private func matches(_ pattern: String, _ segments: [Substring]) -> Bool {
        let expected = pattern.split(separator: "/", omittingEmptySubsequences: true)
        let isOpen = expected.last?.hasSuffix("...}") == true
        return (isOpen ? expected.count <= segments.count : expected.count == segments.count)
            && zip(expected, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
