import RalphWire
import Synchronization

/// For how long the ingest thread has been at one turn of its work: all that it reads it reads itself, and a file system
/// that does not answer keeps it for good.
final class IngestTurn: Sendable {
    /// A turn of ordinary work is bounded, and far shorter; one that finds nothing takes the second that it waits.
    /// Nanoseconds.
    static let longest: Int64 = 30_000_000_000

    /// How long a turn may take, nanoseconds.
    private let limit: Int64
    /// By ``UptimeClock/nanoseconds()``; 0: it is at none.
    private let began = Atomic<Int64>(0)

    init(limit: Duration = .nanoseconds(IngestTurn.longest)) { self.limit = limit.milliseconds * 1_000_000 }

    /// For the ingest thread.
    func begin() { began.store(UptimeClock.nanoseconds(), ordering: .relaxed) }

    /// For the ingest thread, when it ends.
    func end() { began.store(0, ordering: .relaxed) }

    /// Whether the turn at hand has taken longer than it may.
    ///
    /// - Parameter now: by ``UptimeClock/nanoseconds()``.
    func isOverdue(at now: Int64) -> Bool {
        let began = began.load(ordering: .relaxed)
        return began != 0 && now - began > limit
    }
}
