import HTTPTypes
import Hummingbird
import RalphControl
import RalphSessions
import RalphWire

/// Memories, tasks and the configuration of a workspace (http-contract 7, 10). All take `?workspace=` or
/// `?session=`.
struct WorkspaceRoutes: Routes {
    let files: WorkspaceFiles

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/memories", .watch, memories),
        .init(.put, "/api/memories", .steer, replaceMemories),
        .init(.post, "/api/memories/export", .watch, exportMemories),
        .init(.get, "/api/tasks", .watch, tasks),
        .init(.post, "/api/tasks", .steer, addTask),
        .init(.put, "/api/tasks/{id}", .steer, updateTask),
        .init(.post, "/api/config/export", .watch, exportConfig),
        .init(.post, "/api/config/import", .start, importConfig),
    ]

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
