import Hummingbird
import RalphWire

/// Finding events by their words.
struct SearchRoutes: Sendable {
    let searching: Searching

    static func addTable(to table: inout RouteTable) {
        table.add("GET", "/api/search", .watch)
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        router.get("/api/search", use: search)
    }

    /// `GET /api/search?q=`: the kept events with these words, newest first.
    @Sendable private func search(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        JSONResponse.make(try await searching.page(request.uri.query))
    }
}
