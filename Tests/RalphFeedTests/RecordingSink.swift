import RalphFeed
import Synchronization

/// Keeps what it is given, and whether memory had it by then.
final class RecordingSink: BlockSink {
    private let feed: EventFeed
    private let record = Mutex((globalIDs: [Int64](), wasAlwaysInMemory: true))

    init(_ feed: EventFeed) {
        self.feed = feed
    }

    var globalIDs: [Int64] { record.withLock(\.globalIDs) }
    var wasAlwaysInMemory: Bool { record.withLock(\.wasAlwaysInMemory) }

    func deliver(_ blocks: [EventBlock]) {
        let isInMemory = blocks.allSatisfy { block in
            feed.recent(block.session, after: block.firstSeq - 1, limitBytes: 1).slices.first?.block === block
        }
        record.withLock { record in
            record.globalIDs += blocks.globalIDs
            record.wasAlwaysInMemory = record.wasAlwaysInMemory && isInMemory
        }
    }
}
