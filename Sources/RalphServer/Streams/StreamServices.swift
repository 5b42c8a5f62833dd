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
    /// The threads for reading the store.
    let threads: NIOThreadPool
    /// The threads for reading Ralph's files, which may lie where nothing answers.
    let archiveThreads: NIOThreadPool
    let clients: StreamClients
    let lent: LentSockets
    let limits: StreamLimits
    let counters: StreamCounters
    let logger: Logger
    /// Whether a session has ended, so that idle streams of it can be let go.
    let hasEnded: @Sendable (SessionID) -> Bool
}

extension StreamServices {
    /// The threads on which what follows `cursor` is read.
    func threads(for source: StreamOptions.Source, after cursor: Int64) -> NIOThreadPool {
        guard case .session(let id) = source, let head = feed.head(of: id), cursor < head.firstKept - 1 else {
            return threads
        }
        return archiveThreads
    }

    /// The threads on which a start is looked for.
    func threads(for source: StreamOptions.Source, _ start: StreamReader.Start) -> NIOThreadPool {
        // Where all events are kept, no file is looked into.
        guard case .session(let id) = source, case .time = start, let head = feed.head(of: id),
            head.firstKept > 1
        else { return threads }
        return archiveThreads
    }
}
