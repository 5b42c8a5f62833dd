import HTTPTypes
import Hummingbird
import NIOCore
import RalphFeed
import RalphSessions
import RalphWire

/// What is known of sessions (http-contract 3.4).
struct SessionRoutes: Routes {
    let services: SessionServices

    /// The routes, in the order of `docs/http-api.md`.
    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/sessions", .watch, list),
        .init(.get, "/api/sessions/{id}", .watch, session),
        .init(.get, "/api/sessions/{id}/status", .watch, status),
        // A stream, but to who likes `application/json` better: the same events as one page (http-contract 4.1).
        .init(.get, "/api/sessions/{id}/events", .watch, history),
        .init(.get, "/api/sessions/{id}/history", .watch, history),
        .init(.get, "/api/sessions/{id}/logs", .watch, history),
        .init(.get, "/api/sessions/{id}/iterations", .watch, iterations),
        .init(.get, "/api/sessions/{id}/scratchpad", .watch, scratchpad),
    ]

    /// `GET /api/sessions`: a bare array.
    @Sendable private func list(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        JSONResponse.make(try services.list.body())
    }

    /// `GET /api/sessions/{id}/status`: the object, the recovery block, and on request what was missed.
    @Sendable private func status(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try services.id(context)
        return JSONResponse.make(try await services.status(id, missed: missed(request, id)))
    }

    /// `GET /api/sessions/{id}`: the status with all that it may have, and the conversation.
    @Sendable private func session(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try services.id(context)
        return JSONResponse.make(try await services.session(id, missed: missed(request, id)))
    }

    /// What a client asks for with a status, which tells it where it is.
    private func missed(_ request: Request, _ id: SessionID) throws(Problem) -> SessionServices.Missed? {
        if let client = StreamRoutes.client(inCookies: request.headers[values: .cookie]) {
            services.clients.noteStatus(client: client, session: id)
        }
        return try HistoryQuery.missed(request.uri.query, of: id, in: services.feed.epoch)
    }

    /// `GET /api/sessions/{id}/history`, and the same as `/logs` (http-contract 11).
    @Sendable private func history(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let id = try services.id(context)
        let query = try HistoryQuery(request.uri.query, of: id, in: services.feed.epoch)
        // What comes meanwhile is behind the head that the page tells, so that a client may take that for its cursor.
        let head = services.feed.head(of: id) ?? FeedHead()
        let window: HistoryReader.Window =
            switch query.window {
            case .before(let seq): .before(min(seq, head.last + 1))
            case let other: other
            }
        let page = try await services.page(
            id, window, before: min(query.end ?? .max, head.last + 1), limit: query.limit, isWhole: true)
        return JSONResponse.make(
            page.json(head: head, epoch: services.feed.epoch, topics: query.topics))
    }

    /// `GET /api/sessions/{id}/iterations`: those of the last run.
    @Sendable private func iterations(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        try JSONResponse.encode(services.iterations(context))
    }

    /// `GET /api/sessions/{id}/scratchpad`; no file is an empty one.
    @Sendable private func scratchpad(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let entry = try services.catalogue.require(services.id(context))
        return try JSONResponse.encode(try await services.scratchpad(entry))
    }
}
