import RalphWire
import Synchronization

/// Ends the streams of one session; connected to the listener once that exists.
final class StreamEnding: Sendable {
    /// A struct, because a bare closure would be wrapped once more by each access through the mutex.
    private struct End {
        let streams: @Sendable (SessionID, Int64) async -> Void
    }

    private let end = Mutex<End?>(nil)

    init() {}

    func connect(_ end: @escaping @Sendable (SessionID, Int64) async -> Void) {
        self.end.withLock { $0 = End(streams: end) }
    }

    /// Ends each stream of `session` once it has sent the event `seq`.
    func end(_ session: SessionID, after seq: Int64) async {
        await end.withLock { $0 }?.streams(session, seq)
    }
}
