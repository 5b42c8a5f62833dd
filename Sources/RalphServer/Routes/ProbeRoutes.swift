import HTTPTypes
import Hummingbird
import NIOCore
import RalphWire

/// What those ask who watch over the server, or look for it; none of it needs a key.
struct ProbeRoutes: Routes {
    let readiness: Readiness
    /// Whether a key is set.
    let hasKey: Bool
    /// Whether nobody is asked for anything.
    let isOpenToAll: Bool
    /// `nil`: plain HTTP.
    let tls: TLSSetup?

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/livez", nil, alive),
        .init(.get, "/readyz", nil, ready),
        .init(.get, "/.well-known/ralph-mobile", nil, card),
    ]

    /// `GET /livez`: `OK`; a GET gets it from the event loop already.
    @Sendable private func alive(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: "OK")))
    }

    /// `GET /readyz`: 200, or 503 and why.
    @Sendable private func ready(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let report = readiness.report()
        var response = try JSONResponse.encode(report)
        if !report.reasons.isEmpty { response.status = .serviceUnavailable }
        return response
    }

    /// `GET /.well-known/ralph-mobile`.
    @Sendable private func card(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        // Without a key only who is on this machine gets in.
        let isKeyRequired = !isOpenToAll && (hasKey || !context.caller.isLocal)
        return try JSONResponse.encode(
            ServerCard(isKeyRequired: isKeyRequired, fingerprint: tls?.fingerprint))
    }
}
