import Hummingbird
import RalphWire

/// Configurations, presets, prompts, hats and skills (http-contract 5).
struct LibraryRoutes: Sendable {
    let services: LibraryServices

    static func addTable(to table: inout RouteTable) {
        table.add("GET", "/api/configs", .watch)
        table.add("GET", "/api/configs/{path...}", .watch)
        table.add("GET", "/api/prompts", .watch)
        table.add("GET", "/api/prompts/{path...}", .watch)
        table.add("GET", "/api/presets", .watch)
        table.add("GET", "/api/hats", .watch)
        table.add("GET", "/api/skills", .watch)
        table.add("GET", "/api/skills/{name}", .watch)
        table.add("GET", "/api/skills/{name}/load", .watch)
        table.add("POST", "/api/skills/{name}/load", .watch)
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        for list in LibraryList.allCases {
            router.get(RouterPath(list.path)) { [services] request, context in
                JSONResponse.make(try await services.list(list, request, context))
            }
        }
        router.get("/api/configs/**", use: config)
        router.get("/api/prompts/**", use: prompt)
        router.get("/api/skills/{name}", use: skill)
        router.get("/api/skills/{name}/load", use: load)
        router.post("/api/skills/{name}/load", use: load)
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
