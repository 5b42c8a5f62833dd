import NIOHTTP1

/// What the audit log may know of a request: neither its query nor its headers nor its body.
struct AuditRequest {
    let method: HTTPMethod
    let path: RequestPath
    /// The index of the path's route; see ``RequestFigures/route(of:)``.
    let route: Int
    let caller: Caller
}
