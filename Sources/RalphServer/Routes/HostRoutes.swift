import Hummingbird
import RalphWire

/// The machine that the server runs on (http-contract 6).
struct HostRoutes: Sendable {
    let sampler: HostSampler

    static func addTable(to table: inout RouteTable) {
        for path in [
            "/api/host/metrics", "/api/host/processes", "/api/metrics/host", "/api/metrics/processes",
        ] { table.add("GET", path, .watch) }
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        router.get("/api/host/metrics", use: metrics)
        router.get("/api/host/processes", use: processes)
        router.get("/api/metrics/host", use: metrics)
        router.get("/api/metrics/processes", use: processes)
    }

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
