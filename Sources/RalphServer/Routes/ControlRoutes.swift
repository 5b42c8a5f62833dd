import HTTPTypes
import Hummingbird
import NIOCore
import RalphWire

/// Commands to sessions (http-contract 3.4, 14).
struct ControlRoutes: Routes {
    let commands: SessionCommands
    let catalogue: SessionCatalogue

    static let endpoints: [Endpoint<Self>] = [
        .init(.post, "/api/sessions", .start, start),
        .init(.delete, "/api/sessions/{id}", .start, stop),
        .init(.post, "/api/sessions/{id}/stop", .start, stop),
        .init(.post, "/api/sessions/{id}/pause", .steer, pause),
        .init(.post, "/api/sessions/{id}/resume", .steer, resume),
        .init(.post, "/api/sessions/{id}/steer", .steer, steer),
        .init(.post, "/api/sessions/{id}/emit", .steer, emit),
        .init(.get, "/api/sessions/{id}/commands", .watch, list),
        .init(.post, "/api/runner/start", .start, start),
        .init(.post, "/api/runner/stop", .start, stopNamed),
    ]

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
