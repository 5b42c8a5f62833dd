import HTTPTypes
import Hummingbird
import NIOCore
import RalphWire

/// Commands to sessions (http-contract 3.4, 14).
struct ControlRoutes: Sendable {
    let commands: SessionCommands
    let catalogue: SessionCatalogue

    static func addTable(to table: inout RouteTable) {
        table.add("POST", "/api/sessions", .start)
        table.add("DELETE", "/api/sessions/{id}", .start)
        table.add("POST", "/api/sessions/{id}/stop", .start)
        for part in ["/pause", "/resume", "/steer", "/emit"] {
            table.add("POST", "/api/sessions/{id}" + part, .steer)
        }
        table.add("GET", "/api/sessions/{id}/commands", .watch)
        table.add("POST", "/api/runner/start", .start)
        table.add("POST", "/api/runner/stop", .start)
    }

    func addRoutes(to router: Router<SessionRequestContext>) {
        router.post("/api/sessions", use: start)
        router.post("/api/runner/start", use: start)
        router.post("/api/runner/stop", use: stopNamed)
        router.delete("/api/sessions/{id}", use: stop)
        router.post("/api/sessions/{id}/stop", use: stop)
        router.post("/api/sessions/{id}/pause", use: pause)
        router.post("/api/sessions/{id}/resume", use: resume)
        router.post("/api/sessions/{id}/steer", use: steer)
        router.post("/api/sessions/{id}/emit", use: emit)
        router.get("/api/sessions/{id}/commands", use: list)
    }

    /// `POST /api/sessions`: 201 once the run has registered itself.
    @Sendable private func start(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let answer = try await commands.start(
            StartRequest(try await RequestObject.read(request)), by: context.caller)
        var response = try JSONResponse.encode(answer)
        response.status = .created
        response.headers[.location] = "/api/sessions/\(answer.id)"
        return response
    }

    /// `DELETE /api/sessions/{id}` and `POST …/stop`; `?force=1`, `?purge=true`.
    @Sendable private func stop(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        try await stop(id(context), request, context)
    }

    /// `POST /api/runner/stop`, the session in the body.
    @Sendable private func stopNamed(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.read(request)
        guard let name = try body.string("session_id", limit: 64) else {
            throw Problem.invalidRequest("session_id is required")
        }
        return try await stop(catalogue.resolve(name[...]), request, context)
    }

    private func stop(_ id: SessionID, _ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let query = try QueryItems(request.uri.query)
        return try JSONResponse.encode(
            try await commands.stop(
                id, force: query.flag("force") ?? false, purge: query.flag("purge") ?? false,
                by: context.caller))
    }

    /// `POST …/pause`; `?now=1`, `?strict=1`.
    @Sendable private func pause(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try id(context)
        let query = try QueryItems(request.uri.query)
        return try JSONResponse.encode(
            try await commands.pause(
                id, now: query.flag("now") ?? false, strict: query.flag("strict") ?? false,
                by: context.caller))
    }

    /// `POST …/resume`; `?strict=1`.
    @Sendable private func resume(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try id(context)
        let query = try QueryItems(request.uri.query)
        return try JSONResponse.encode(
            try await commands.resume(id, strict: query.flag("strict") ?? false, by: context.caller))
    }

    /// `POST …/steer`.
    @Sendable private func steer(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try id(context)
        let body = try await RequestObject.read(request)
        guard let text = try body.words("message", limit: SessionCommands.maximumSteeringBytes) else {
            throw Problem.invalidRequest("message cannot be empty")
        }
        return try JSONResponse.encode(
            try await commands.steer(id, text, urgent: body.flag("urgent") ?? false, by: context.caller))
    }

    /// `POST …/emit`; `?force=1`.
    @Sendable private func emit(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let id = try id(context)
        let query = try QueryItems(request.uri.query)
        let event = try EmittedEvent(
            try await RequestObject.read(request), force: query.flag("force") ?? false)
        return try JSONResponse.encode(try await commands.emit(id, event, by: context.caller))
    }

    /// `GET …/commands`: who asked for what, and what came of it; `?before=`, `?limit=`.
    @Sendable private func list(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let id = try id(context)
        let query = try QueryItems(request.uri.query)
        let limit = try query.integer("limit", in: 1...1000) ?? 100
        return try JSONResponse.encode(
            try await commands.commands(
                of: id, before: query.integer("before", in: 1...Int64.max), limit: Int(limit)))
    }

    private func id(_ context: SessionRequestContext) throws -> SessionID {
        try catalogue.resolve(context.idSegment)
    }
}
