import Hummingbird
import RalphWire

/// Configurations, presets, prompts, hats and skills (http-contract 5).
struct LibraryRoutes: Routes {
    let services: LibraryServices

    static let endpoints: [Endpoint<Self>] = [
        list(.configs),
        .init(.get, "/api/configs/{path...}", .watch, config),
        list(.prompts),
        .init(.get, "/api/prompts/{path...}", .watch, prompt),
        list(.presets),
        list(.hats),
        list(.skills),
        .init(.get, "/api/skills/{name}", .watch, skill),
        .init(.get, "/api/skills/{name}/load", .watch, load),
        .init(.post, "/api/skills/{name}/load", .watch, load),
    ]

    private static func list(_ list: LibraryList) -> Endpoint<Self> {
        .init(.get, list.path, .watch) { routes in
            { JSONResponse.make(try await routes.services.list(list, $0, $1)) }
        }
    }

    /// `GET /api/configs/{path...}`; also for presets.
    @Sendable private func config(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await services.content(.configs, request, context))
    }

    /// `GET /api/prompts/{path...}`.
    @Sendable private func prompt(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await services.content(.prompts, request, context))
    }

    /// `GET /api/skills/{name}`.
    @Sendable private func skill(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await services.skill(request, context).object)
    }

    /// `GET` and `POST /api/skills/{name}/load`; a body is not read.
    @Sendable private func load(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await services.load(request, context))
    }
}
