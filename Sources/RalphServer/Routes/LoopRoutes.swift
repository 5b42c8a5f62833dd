import HTTPTypes
import Hummingbird
import RalphWire

/// Loops and the merge queue (http-contract 8).
struct LoopRoutes: Routes {
    let commands: LoopCommands

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/loops", .watch, list),
        .init(.post, "/api/loops", .start, start),
        .init(.get, "/api/loops/{id}", .watch, loop),
        .init(.post, "/api/loops/{id}/merge", .start, merge),
        .init(.post, "/api/loops/{id}/discard", .start, discard),
        .init(.get, "/api/merge-queue", .watch, mergeQueue),
    ]

    /// `GET /api/loops`; `?workspace=`.
    @Sendable private func list(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        try JSONResponse.encode(
            LoopObject.List(try await commands.lists(workspace: workspace(request))))
    }

    /// `GET /api/loops/{id}`; `?workspace=`.
    @Sendable private func loop(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        try JSONResponse.encode(
            LoopObject(try await commands.loop(id(context), workspace: workspace(request))))
    }

    /// `POST /api/loops`: 201 once the loop has registered itself.
    @Sendable private func start(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.read(request)
        let answer = try await commands.start(LoopRequest.read(body), by: context.caller)
        var response = try JSONResponse.encode(answer)
        response.status = .created
        response.headers[.location] = "/api/loops/\(PercentEncoding.encode(answer.id))"
        return response
    }

    /// `POST /api/loops/{id}/merge`; a body is not read.
    @Sendable private func merge(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try await perform(.merge, request, context)
    }

    /// `POST /api/loops/{id}/discard`; a body is not read.
    @Sendable private func discard(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try await perform(.discard, request, context)
    }

    private func perform(
        _ action: LoopJobs.Action, _ request: Request, _ context: SessionRequestContext
    ) async throws -> Response {
        try JSONResponse.encode(
            try await commands.perform(
                action, id(context), workspace: workspace(request), by: context.caller))
    }

    /// `GET /api/merge-queue`; `?workspace=`.
    @Sendable private func mergeQueue(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(try await commands.mergeQueue(workspace: workspace(request)))
    }

    private func id(_ context: SessionRequestContext) throws -> String {
        guard let id = PercentEncoding.decode(context.idSegment) else {
            throw Problem.loopNotFound(String(context.idSegment))
        }
        return id
    }

    private func workspace(_ request: Request) throws -> String? {
        try QueryItems(request.uri.query)["workspace"]
    }
}
