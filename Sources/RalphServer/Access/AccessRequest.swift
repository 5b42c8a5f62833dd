import NIOHTTP1

/// What the gate looks at: all of a request but its body.
struct AccessRequest: Sendable {
    let method: HTTPMethod
    let path: RequestPath
    /// The index of the path's route; see ``RequestFigures/route(of:)``.
    let route: Int
    let headers: HTTPHeaders
    /// The other end of the connection.
    let peer: Peer
}
