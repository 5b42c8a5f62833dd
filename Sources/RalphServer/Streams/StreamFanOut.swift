import Dispatch
import RalphFeed
import Synchronization

/// Hands stored blocks to the event loops whose streams follow them, and sends them to the sockets that were lent;
/// bounded by loops and ``LentSockets/maximumSends``, never O(clients).
final class StreamFanOut: BlockSink {
    /// How a loop is told to drain its inbox. A struct, because a bare closure would be wrapped once more by
    /// each access through the mutex.
    private struct Wake {
        let loop: @Sendable (Int) -> Void
    }

    let inboxes: [ShardInbox]
    let lent: LentSockets
    private let wake = Mutex<Wake?>(nil)

    /// - Parameter maximumLent: see ``LentSockets``.
    init(loops: Int, maximumLent: Int) {
        lent = LentSockets(maximum: maximumLent)
        inboxes = (0..<loops).map { _ in ShardInbox() }
    }

    /// Says how a loop is told to drain its inbox.
    func connect(_ wake: @escaping @Sendable (Int) -> Void) {
        self.wake.withLock { $0 = Wake(loop: wake) }
    }

    func waitUntilTaken(atMost limit: Duration) {
        let deadline = DispatchTime.now() + .nanoseconds(Int(limit / .nanoseconds(1)))
        for inbox in inboxes { inbox.waitUntilTaken(before: deadline) }
    }

    func deliver(_ blocks: [EventBlock]) {
        let wake = wake.withLock { $0 }
        for (index, inbox) in inboxes.enumerated() where inbox.add(blocks) { wake?.loop(index) }
        lent.send(blocks)
    }
}
