import Hummingbird
import RalphWire

/// The machine that the server runs on (http-contract 6).
struct HostRoutes: Routes {
    let sampler: HostSampler

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/host/metrics", .watch, metrics),
        .init(.get, "/api/host/processes", .watch, processes),
        .init(.get, "/api/metrics/host", .watch, metrics),
        .init(.get, "/api/metrics/processes", .watch, processes),
    ]

    /// `GET /api/host/metrics`.
    @Sendable private func metrics(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        JSONResponse.make(try await sampler.answers().metrics)
    }

    /// `GET /api/host/processes`.
    @Sendable private func processes(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        JSONResponse.make(try await sampler.answers().processes)
    }
}
