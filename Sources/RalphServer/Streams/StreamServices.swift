import Logging
import NIOPosix
import RalphFeed
import RalphWire

/// What every stream needs; the same for all shards.
struct StreamServices: Sendable {
    let feed: EventFeed
    let reader: StreamReader
    /// Where streams are counted.
    let seats: StreamSeats
    /// The threads for reading the past.
    let threads: NIOThreadPool
    let clients: StreamClients
    let lent: LentSockets
    let limits: StreamLimits
    let counters: StreamCounters
    let logger: Logger
    /// Whether a session has ended, so that idle streams of it can be let go.
    let hasEnded: @Sendable (SessionID) -> Bool
}
