import Hummingbird
import RalphWire

/// Finding events by their words.
struct SearchRoutes: Routes {
    let searching: Searching

    static let endpoints: [Endpoint<Self>] = [.init(.get, "/api/search", .watch, search)]

    /// `GET /api/search?q=`: the kept events with these words, newest first.
    @Sendable private func search(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        JSONResponse.make(try await searching.page(request.uri.query))
    }
}
