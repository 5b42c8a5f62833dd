import HTTPTypes
import Hummingbird
import RalphSessions
import RalphWire

/// What a run leaves behind: its documents, its changes, and its record as one file.
struct SessionFileRoutes: Routes {
    let services: SessionFileServices

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/sessions/{id}/summary", .watch, summary),
        .init(.get, "/api/sessions/{id}/handoff", .watch, handoff),
        .init(.get, "/api/sessions/{id}/diff", .watch, diff),
        .init(.get, "/api/sessions/{id}/export", .watch, export),
    ]

    /// `GET /api/sessions/{id}/summary`; no file is an empty one.
    @Sendable private func summary(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let entry = try services.entry(context)
        return try JSONResponse.encode(
            try await services.document("summary.md", entry.session.directory.summary, of: entry))
    }

    /// `GET /api/sessions/{id}/handoff`; no file is an empty one.
    @Sendable private func handoff(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let entry = try services.entry(context)
        return try JSONResponse.encode(
            try await services.document("handoff.md", entry.session.directory.handoff, of: entry))
    }

    /// `GET /api/sessions/{id}/diff`; `?path=`, `?patch=true`.
    @Sendable private func diff(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let entry = try services.entry(context)
        return try JSONResponse.encode(
            try await services.diff.read(entry, DiffQuery(request.uri.query)))
    }

    /// `GET /api/sessions/{id}/export`; `?after_seq=`, `?chain=`, `?epoch=`, `?limit=`.
    @Sendable private func export(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let entry = try services.entry(context)
        let file = try await services.export.file(entry, ExportQuery(request.uri.query))
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/x-ndjson", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(file.name)\"",
            ],
            body: .init(byteBuffer: file.body))
    }
}
