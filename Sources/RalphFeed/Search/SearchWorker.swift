import GRDB
import RalphWire

/// Brings the index up to the feed, in small steps; owned by the index's thread.
struct SearchWorker {
    /// What one step came to.
    struct Step {
        var indexed: Int64 = 0
        var skipped: Int64 = 0
        /// Events of the store are left to be indexed.
        var isBehind = false
    }

    /// Events' bytes taken from memory in one step, and so in one transaction.
    private static let stepBytes = 512 * 1024
    /// Events taken from the store in one step.
    private static let stepEvents = 256
    /// Entries taken out in one transaction.
    private static let trimmedEntries = 128

    private let feed: EventFeed
    /// When the thread rests; kept by its owner between steps.
    var pace: WorkPace
    let store: SearchStore
    private(set) var cursor: Int64
    /// What was stored up to here before the index was opened is no loss where it has left its ring.
    private let opening: Int64
    private var keys: [SessionID: Int64]
    /// Before which number nothing is left in the index, of sessions that this worker has trimmed.
    private var trimmed: [SessionID: Int64] = [:]

    /// Goes on where `store` was left.
    ///
    /// - Parameter pace: when a step rests, and when it ends with a `CancellationError` as if it had not begun.
    init(feed: EventFeed, store: SearchStore, pace: WorkPace) throws {
        self.feed = feed
        self.pace = pace
        self.store = store
        cursor = store.cursor
        opening = feed.globalHead
        keys = try store.sessionKeys()
    }

    /// Takes the next events in: a few hundred, in one transaction. After an error the same step can be made again.
    mutating func step() throws -> Step {
        let (slices, end) = try next()
        var entries: [(key: Int64, entry: SearchEntry)] = []
        var firstKept: [SessionID: Int64] = [:]
        for slice in slices {
            let session = slice.block.session
            if firstKept[session] == nil {
                // The head is read behind the events, so that rows and ring have the same end.
                firstKept[session] = feed.head(of: session)?.firstKept ?? 1
                try trim(session)
            }
            let first = firstKept[session] ?? 1
            guard slice.lastSeq >= first else { continue }
            let key = try key(of: session)
            for index in slice.range where slice.block.firstSeq + Int64(index) >= first {
                entries.append((key, SearchEntry(slice.block, at: index)))
            }
        }
        if !entries.isEmpty { try store.write(entries, cursor: end, pace: &pace) }
        var step = Step(indexed: Int64(entries.count))
        let kept = entries.count { $0.entry.globalID > opening }
        step.skipped = max(0, end - max(cursor, opening) - Int64(kept))
        cursor = end
        step.isBehind = feed.globalHead > cursor
        return step
    }

    /// What follows the cursor in memory, else in the store, and the cursor behind it.
    private func next() throws -> (slices: [BlockSlice], end: Int64) {
        switch feed.recentGlobal(after: cursor, limitBytes: Self.stepBytes) {
        case .caughtUp: return ([], cursor)
        case .blocks(let slices): return (slices, slices.last?.lastGlobalID ?? cursor)
        case .older(let oldest):
            let blocks = try feed.storedGlobal(after: cursor, limit: Self.stepEvents)
            return (
                blocks.map { BlockSlice(block: $0, range: 0..<$0.count) },
                blocks.last?.lastGlobalID ?? max(cursor, oldest - 1)
            )
        }
    }

    private mutating func key(of id: SessionID) throws -> Int64 {
        if let key = keys[id] { return key }
        let key = try store.insertSession(id)
        keys[id] = key
        return key
    }

    /// Takes out what of `id` has left the ring, so that there are never more entries than kept events.
    private mutating func trim(_ id: SessionID) throws {
        guard let key = keys[id], let head = feed.head(of: id), trimmed[id] != head.firstKept else { return }
        var count = Self.trimmedEntries
        while count == Self.trimmedEntries {
            count = try store.trim(key, before: head.firstKept, limit: Self.trimmedEntries, pace: &pace)
        }
        trimmed[id] = head.firstKept
    }
}
