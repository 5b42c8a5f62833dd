import Logging
import NIOCore
import NIOPosix
import RalphFeed
import RalphSessions
import RalphWire

/// What every stream needs; the same for all shards.
struct StreamServices: Sendable {
    let feed: EventFeed
    let reader: StreamReader
    /// Where streams are counted.
    let seats: StreamSeats
    /// The threads for reading the store.
    let threads: NIOThreadPool
    /// Those for finding a start in it by its time.
    let seekThreads: NIOThreadPool
    /// Where Ralph's files are read, which may lie where nothing answers.
    let archiveThreads: FileThreads
    let clients: StreamClients
    let lent: LentSockets
    let limits: StreamLimits
    let counters: StreamCounters
    let logger: Logger
    /// Whether a session has ended, so that idle streams of it can be let go.
    let hasEnded: @Sendable (SessionID) -> Bool
}

extension StreamServices {
    /// For how long one read of Ralph's files is waited for. Nobody else waits for it meanwhile, and a stream can wait.
    private static let patience: Duration = .seconds(600)

    /// Runs `work` on a thread of `pool`, and gives what it came to on `eventLoop`; beside that of all other workspaces if it
    /// may need files of `workspace`. It fails with a ``Problem`` then where these do not answer, or too many wait for them.
    func run(
        at workspace: String?, on pool: NIOThreadPool, for eventLoop: any EventLoop,
        _ work: @escaping @Sendable () throws -> ReplayChunk,
        then take: @escaping @Sendable (Result<ReplayChunk, any Error>) -> Void
    ) {
        guard let workspace else {
            return pool.runIfActive(eventLoop: eventLoop, work).whenComplete(take)
        }
        // Ends by itself. The server's end does not wait for it, and a promise must not outlive its loop.
        _ = Task<Void, Never> { [archiveThreads] in
            let result: Result<ReplayChunk, any Error>
            do {
                let chunk = try await archiveThreads.run(
                    at: workspace, of: "replay", within: Self.patience, work)
                result = .success(chunk)
            } catch {
                result = .failure(error)
            }
            eventLoop.execute { take(result) }
        }
    }

    /// The workspace of whose files what follows `cursor` is read; `nil`: of none's.
    func workspace(for source: StreamOptions.Source, after cursor: Int64) -> String? {
        guard case .session(let id) = source, let head = feed.head(of: id), cursor < head.firstKept - 1 else {
            return nil
        }
        return workspace(of: id)
    }

    /// The workspace in whose files a start is looked for; `nil`: in none's.
    func workspace(for source: StreamOptions.Source, _ start: StreamReader.Start) -> String? {
        // Where all events are kept, no file is looked into.
        guard case .session(let id) = source, case .time = start, let head = feed.head(of: id),
            head.firstKept > 1
        else { return nil }
        return workspace(of: id)
    }

    /// The threads on which a start is looked for: by its time all that is kept may have to be read, event by event.
    func pool(for start: StreamReader.Start) -> NIOThreadPool {
        switch start {
        case .time: seekThreads
        case .event, .newest: threads
        }
    }

    /// The workspace of a session that is found: of any other one no file is read.
    private func workspace(of id: SessionID) -> String? {
        reader.archive.catalogue.entry(id)?.session.directory.workspace
    }
}
