import RalphFeed
import Synchronization

/// Hands stored blocks to the event loops whose streams follow them; O(event loops), never O(clients).
final class StreamFanOut: BlockSink {
    let inboxes: [ShardInbox]
    private let wake = Mutex<(@Sendable (Int) -> Void)?>(nil)

    init(loops: Int) {
        inboxes = (0..<loops).map { _ in ShardInbox() }
    }

    /// Says how a loop is told to drain its inbox.
    func connect(_ wake: @escaping @Sendable (Int) -> Void) {
        self.wake.withLock { $0 = wake }
    }

    func deliver(_ blocks: [EventBlock]) {
        let wake = wake.withLock { $0 }
        for (index, inbox) in inboxes.enumerated() where inbox.add(blocks) { wake?(index) }
    }
}
