import NIOCore
import NIOHTTP1

/// Something that came over a connection, and when.
struct Arrival: Sendable {
    enum Part: Sendable {
        /// The TLS handshake is done.
        case secured(protocol: String?, version: String?)
        case head(HTTPResponseHead)
        case body(ByteBuffer)
        case end
    }

    let part: Part
    let at: ContinuousClock.Instant
}
