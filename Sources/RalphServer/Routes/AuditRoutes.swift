import Hummingbird
import NIOCore
import NIOPosix
import RalphWire

/// What happened: the audit log, for those who may do everything.
struct AuditRoutes: Routes {
    let reader: AuditReader
    let threads: NIOThreadPool

    static let endpoints: [Endpoint<Self>] = [.init(.get, "/api/audit", .start, page)]

    /// `GET /api/audit`; `?limit=`, `?before=` a number: the newest entries before it, the newest first.
    @Sendable private func page(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let query = try QueryItems(request.uri.query)
        let limit = try query.integer("limit", in: 1...Int64(AuditReader.maximumLimit))
        let before = try query.integer("before", in: 1...Int64.max) ?? .max
        return JSONResponse.make(
            try await threads.runIfActive { [reader] in
                let limit = Int(limit ?? Int64(AuditReader.defaultLimit))
                return ByteBuffer(bytes: try reader.page(before: before, limit: limit))
            })
    }
}
