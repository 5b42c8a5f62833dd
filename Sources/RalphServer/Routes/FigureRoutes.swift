import Hummingbird
import RalphWire

/// What sessions did and used (http-contract 11).
struct FigureRoutes: Sendable {
    let figures: FigureReader

    /// One object by three names.
    private static let names = ["metrics", "tokens", "costs"]

    static func addTable(to table: inout RouteTable) {
        for name in names { table.add("GET", "/api/sessions/{id}/" + name, .watch) }
        table.add("GET", "/api/stats", .watch)
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        for name in Self.names { router.get("/api/sessions/{id}/\(name)", use: metrics) }
        router.get("/api/stats", use: stats)
    }

    /// `GET /api/sessions/{id}/metrics`.
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
