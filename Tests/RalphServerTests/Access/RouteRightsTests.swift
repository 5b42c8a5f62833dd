import NIOHTTP1
import RalphWire
import Testing

@testable import RalphServer

struct RouteRightsTests {
    private let table = RalphServer.makeTable()

    @Test func `the router's endpoints need what the table says`() {
        let rights = RouteRights(table)
        for route in table.routes {
            let endpoint = route.path.replacing("{path...}", with: "**")
            #expect(rights.scope(route.method, endpoint: endpoint) == route.scope, "\(route)")
        }
    }

    @Test func `an endpoint that is in no table is for who may do everything`() {
        let rights = RouteRights(table)
        #expect(rights.scope("GET", endpoint: "/api/unheard/of") == .start)
        #expect(rights.scope("PATCH", endpoint: "/api/sessions") == .start)
    }

    @Test func `a path that is no route asks of who reads to watch and of others everything`() {
        let rights = RouteRights(table)
        let unknown = RoutePatterns(table).paths.count
        for method in [HTTPMethod.GET, .HEAD, .OPTIONS] {
            #expect(rights.scope(method, route: unknown) == .watch)
        }
        for method in [HTTPMethod.POST, .PUT, .PATCH, .DELETE, .CONNECT, .RAW(value: "BREW")] {
            #expect(rights.scope(method, route: unknown) == .start)
        }
    }

    @Test func `a method that a path does not have needs no less`() throws {
        let rights = RouteRights(table)
        let patterns = RoutePatterns(table)
        let route = try #require(patterns.index(of: RequestPath("/api/devices").segments))

        #expect(rights.scope(.HEAD, route: route) == .start)
        #expect(rights.scope(.PATCH, route: route) == .start)
    }
}
