import Hummingbird
import RalphWire

/// What sessions did and used (http-contract 11).
struct FigureRoutes: Routes {
    let figures: FigureReader

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/sessions/{id}/metrics", .watch, metrics),
        .init(.get, "/api/sessions/{id}/tokens", .watch, metrics),
        .init(.get, "/api/sessions/{id}/costs", .watch, metrics),
        .init(.get, "/api/stats", .watch, stats),
    ]

    /// `GET /api/sessions/{id}/metrics`, `…/tokens` and `…/costs`: one object by three names.
    @Sendable private func metrics(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await figures.metrics(context.idSegment))
    }

    /// `GET /api/stats`; `?window=7d`, `?session=`.
    @Sendable private func stats(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let query = try StatsQuery(request.uri.query, now: WallClock.milliseconds())
        return try JSONResponse.encode(try await figures.stats(query))
    }
}
