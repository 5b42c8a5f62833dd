import RalphWire
import Synchronization

/// Which sessions changed since somebody looked: told by the ingest thread, taken by control.
///
/// Bounded to ``maximumSessions``; past that the answer is "any of them".
final class SessionChanges: Sendable {
    /// Sessions remembered singly.
    static let maximumSessions = 4096

    /// What one look takes.
    struct Batch: Sendable, Equatable {
        var sessions: Set<SessionID> = []
        /// More changed than were remembered.
        var hasOverflowed = false
    }

    private let batch = Mutex(Batch())
    private let stream = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init() {}

    /// Cheap; for any thread.
    func add(_ sessions: Set<SessionID>) {
        batch.withLock { batch in
            if batch.sessions.count + sessions.count > Self.maximumSessions {
                batch = Batch(hasOverflowed: true)
            } else if !batch.hasOverflowed {
                batch.sessions.formUnion(sessions)
            }
        }
        signal()
    }

    /// Wakes whoever waits, without a change.
    func signal() { stream.continuation.yield() }

    /// Takes everything.
    func take() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch() }
            return batch
        }
    }

    /// One element for each time that there may be something to take; for one reader.
    var signals: AsyncStream<Void> { stream.stream }
}
