import RalphWire
import Testing

@testable import RalphServer

struct RoutePatternsTests {
    private static let table: RouteTable = {
        var table = RouteTable()
        for path in [
            "/", "/a", "/a/{id}", "/a/{id}/x", "/a/known", "/files/{path...}", "/b/{id}/y",
            "/b/z/{id}",
        ] { table.add("GET", path, .watch) }
        return table
    }()

    @Test(arguments: [
        ("/", "/"), ("/a", "/a"), ("/a/1", "/a/{id}"), ("/a/known", "/a/known"), ("/a/known/x", "/a/{id}/x"),
        ("/files/a/b/c", "/files/{path...}"), ("/b/z/1", "/b/z/{id}"), ("/b/z/y", "/b/z/{id}"),
        ("/b/w/y", "/b/{id}/y"),
    ])
    func `a path is counted as its route`(_ path: String, _ pattern: String) throws {
        let patterns = RoutePatterns(Self.table)
        let index = try #require(patterns.index(of: RequestPath(path).segments))
        #expect(patterns.paths[index] == pattern)
    }

    @Test(arguments: ["/c", "/a/1/2", "/a/1/x/2", "/files", "/b/1"])
    func `what is no route is none`(_ path: String) {
        #expect(RoutePatterns(Self.table).index(of: RequestPath(path).segments) == nil)
    }

    @Test func `every route of the server is found as itself`() {
        let table = RalphServer.makeTable()
        let patterns = RoutePatterns(table)
        for route in table.routes {
            let path = route.path.replacing("...}", with: "}").split(separator: "/")
                .map { $0.hasPrefix("{") ? "value" : $0 }.joined(separator: "/")
            let index = patterns.index(of: RequestPath("/" + path).segments)
            #expect(index.map { patterns.paths[$0] } == route.path)
        }
    }
}
