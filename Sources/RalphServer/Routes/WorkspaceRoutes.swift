import HTTPTypes
import Hummingbird
import RalphControl
import RalphSessions
import RalphWire

/// Memories, tasks and the configuration of a workspace (http-contract 7, 10). All take `?workspace=` or
/// `?session=`.
struct WorkspaceRoutes: Sendable {
    let files: WorkspaceFiles

    static func addTable(to table: inout RouteTable) {
        table.add("GET", "/api/memories", .watch)
        table.add("PUT", "/api/memories", .steer)
        table.add("POST", "/api/memories/export", .watch)
        table.add("GET", "/api/tasks", .watch)
        table.add("POST", "/api/tasks", .steer)
        table.add("PUT", "/api/tasks/{id}", .steer)
        table.add("POST", "/api/config/export", .watch)
        table.add("POST", "/api/config/import", .start)
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        router.get("/api/memories", use: memories)
        router.put("/api/memories", use: replaceMemories)
        router.post("/api/memories/export", use: exportMemories)
        router.get("/api/tasks", use: tasks)
        router.post("/api/tasks", use: addTask)
        router.put("/api/tasks/{id}", use: updateTask)
        router.post("/api/config/export", use: exportConfig)
        router.post("/api/config/import", use: importConfig)
    }

    /// `GET /api/memories`; no file is an empty one.
    @Sendable private func memories(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await files.memories(files.place(QueryItems(request.uri.query))))
    }

    /// `PUT /api/memories`.
    @Sendable private func replaceMemories(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let place = try await files.place(QueryItems(request.uri.query))
        let body = try MemoriesRequest(try await RequestObject.read(request))
        return try JSONResponse.encode(try await files.replaceMemories(place, body, by: context.caller))
    }

    /// `POST /api/memories/export`; a body is not read.
    @Sendable private func exportMemories(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await files.exportMemories(files.place(QueryItems(request.uri.query))))
    }

    /// `GET /api/tasks`; `?status=`, `?limit=`, `?offset=`.
    @Sendable private func tasks(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let query = try QueryItems(request.uri.query)
        let wanted = try TaskRequest.Query(query)
        return JSONResponse.make(try await files.tasks(files.place(query), wanted))
    }

    /// `POST /api/tasks`: 201.
    @Sendable private func addTask(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let place = try await files.place(QueryItems(request.uri.query))
        let draft = try TaskRequest.draft(try await RequestObject.read(request))
        var response = try JSONResponse.encode(try await files.addTask(place, draft, by: context.caller))
        response.status = .created
        return response
    }

    /// `PUT /api/tasks/{id}`.
    @Sendable private func updateTask(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let place = try await files.place(QueryItems(request.uri.query))
        let change = try TaskRequest.change(try await RequestObject.read(request))
        return try JSONResponse.encode(
            try await files.updateTask(place, id(context), change, by: context.caller))
    }

    /// `POST /api/config/export`; a body is not read.
    @Sendable private func exportConfig(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await files.exportConfig(files.place(QueryItems(request.uri.query))))
    }

    /// `POST /api/config/import`.
    @Sendable private func importConfig(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let place = try await files.place(QueryItems(request.uri.query))
        let body = try await RequestObject.read(request)
        guard let yaml = try body.text("content", limit: ConfigCheck.maximumBytes) else {
            throw Problem.invalidRequest("content is required")
        }
        return try JSONResponse.encode(try await files.importConfig(place, yaml, by: context.caller))
    }

    private func id(_ context: SessionRequestContext) throws(Problem) -> String {
        guard let id = PercentEncoding.decode(context.idSegment) else {
            throw Problem(.taskNotFound, of: .tasks)
        }
        return id
    }
}
