import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import RalphWire

/// The server's own figures, for Prometheus and its kin.
struct MetricsRoutes: Sendable {
    let metrics: ServerMetrics
    let threads: NIOThreadPool

    static func addTable(to table: inout RouteTable) { table.add("GET", "/metrics", .watch) }

    func addRoutes(to router: Router<SessionRequestContext>) { router.get("/metrics", use: text) }

    /// `GET /metrics`: the text exposition format.
    @Sendable private func text(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let text = try await threads.runIfActive { [metrics] in metrics.text() }
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: text)))
    }
}
