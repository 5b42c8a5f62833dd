import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import RalphFeed
import RalphSessions
import RalphWire

/// Whether the server is well, and what it is.
struct HealthRoutes: Routes {
    let health: ServerHealth
    let table: RouteTable

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/", .watch, index),
        .init(.get, "/health", nil, probe),
        .init(.get, "/api/health", .watch, report),
    ]

    /// `GET /`: name, version and what can be asked.
    @Sendable private func index(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(ServerIndex(version: ServerVersion.text, routes: table.routes))
    }

    /// `GET /health`: `OK`, or the report where JSON is liked better by somebody who may watch.
    @Sendable private func probe(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let wantsReport = Self.accept(request).prefersReports && context.caller.scope != nil
        return wantsReport ? try JSONResponse.encode(health.report()) : Self.ok
    }

    /// `GET /api/health`: the report, or `OK` where plain text is liked better.
    @Sendable private func report(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        Self.accept(request).prefersPlainText ? Self.ok : try JSONResponse.encode(health.report())
    }

    private static func accept(_ request: Request) -> MediaRanges {
        MediaRanges(request.headers[values: .accept])
    }

    private static let ok = Response(
        status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
        body: .init(byteBuffer: ByteBuffer(string: "OK")))
}

/// What `GET /` says.
private struct ServerIndex: Encodable {
    let name = "ralph-mobile-server"
    let version: String
    /// Where the interface is described, for people and for programs.
    let docs = "/docs"
    let openapi = "/openapi.json"
    let endpoints: [String]

    init(version: String, routes: [RouteTable.Route]) {
        self.version = version
        endpoints = routes.map { "\($0.method) \($0.path)" }
    }
}
