import HTTPTypes
import Hummingbird
import RalphWire

/// The description of the interface, for programs and for people.
struct ContractRoutes: Routes {
    let contract: ContractPages

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/openapi.json", .watch, document),
        .init(.get, "/docs", .watch, page),
    ]

    /// `GET /openapi.json`.
    @Sendable private func document(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        JSONResponse.make(try await contract.pages().json)
    }

    /// `GET /docs`.
    @Sendable private func page(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        Response(
            status: .ok, headers: Self.pageHeaders,
            body: .init(byteBuffer: try await contract.pages().html))
    }

    /// Nothing may run in the page, and it loads nothing.
    private static let pageHeaders: HTTPFields = {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        return headers
    }()
}
