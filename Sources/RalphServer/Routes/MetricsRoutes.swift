import HTTPTypes
import Hummingbird
import NIOCore
import NIOPosix
import RalphWire

/// The server's own figures, for Prometheus and its kin.
struct MetricsRoutes: Routes {
    let metrics: ServerMetrics
    let threads: NIOThreadPool

    static let endpoints: [Endpoint<Self>] = [.init(.get, "/metrics", .watch, text)]

    /// `GET /metrics`: the text exposition format.
    @Sendable private func text(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let text = try await threads.runIfActive { [metrics] in metrics.text() }
        return Response(
            status: .ok, headers: [.contentType: MetricsText.contentType, .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: text)))
    }
}
