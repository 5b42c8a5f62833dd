import RalphWire

/// The newest blocks of all sessions, and the head of every session.
///
/// Every block is in two queues, the one of all sessions and that of its own; the oldest leave both.
struct MemoryTail {
    /// One session's head and what is in memory of it.
    private struct Recent {
        var head: FeedHead
        var blocks = BlockQueue()

        /// From which seq on everything is here.
        var oldestSeq: Int64 { blocks.first?.firstSeq ?? head.last + 1 }
    }

    private let capacity: Int
    private var cost = 0
    private var sessions: [SessionID: Recent] = [:]
    private var all = BlockQueue()
    private(set) var globalHead: Int64

    /// An empty tail that holds blocks up to `capacity` bytes, and the heads of what is stored already.
    init(capacity: Int, heads: [SessionID: FeedHead], globalHead: Int64) {
        self.capacity = capacity
        self.globalHead = globalHead
        sessions = heads.mapValues { Recent(head: $0) }
    }

    /// Gives `appends` the numbers that come next, in a ring of `ring` events. Nothing is noted: that does
    /// ``insert(_:heads:)``.
    func number(_ appends: [SessionAppend], ring: Int) -> [NumberedAppend] {
        var globalHead = globalHead
        var heads: [SessionID: FeedHead] = [:]
        return appends.map { append in
            var head = heads[append.id] ?? sessions[append.id]?.head ?? FeedHead()
            let (firstSeq, firstGlobalID) = (head.last + 1, globalHead + 1)
            if let newest = append.batch.items.last {
                globalHead += Int64(append.batch.count)
                head.last += Int64(append.batch.count)
                head.firstKept = max(head.firstKept, head.last - Int64(ring) + 1)
                head.lastGlobalID = globalHead
                head.newestTimestamp = newest.timestamp
                if appends.count > 1 { heads[append.id] = head }
            }
            return NumberedAppend(
                append: append, firstSeq: firstSeq, firstGlobalID: firstGlobalID, head: head)
        }
    }

    /// What was just recorded: the blocks in global order, and the heads as they are now.
    mutating func insert(_ blocks: [EventBlock], heads: [(SessionID, FeedHead)]) {
        for block in blocks {
            sessions[block.session, default: Recent(head: FeedHead())].blocks.append(block)
            all.append(block)
            cost += block.cost
            globalHead = block.lastGlobalID
        }
        for (id, head) in heads { sessions[id, default: Recent(head: head)].head = head }
    }

    /// Takes out the oldest blocks that have no room. What the tables do not have yet, from behind the global id
    /// `storedThrough` on, stays whatever it costs.
    mutating func takeOldest(storedThrough: Int64) -> [EventBlock] {
        var taken: [EventBlock] = []
        while cost > capacity, let oldest = all.first, oldest.lastGlobalID <= storedThrough {
            all.removeFirst()
            sessions[oldest.session]?.blocks.removeFirst()
            cost -= oldest.cost
            taken.append(oldest)
        }
        return taken
    }

    func head(of id: SessionID) -> FeedHead? { sessions[id]?.head }

    /// Of the sessions of which events have left the ring and memory: the oldest number that one of them has.
    var oldestBeyondRing: [SessionID: Int64] {
        sessions.compactMapValues { session in
            let oldest = min(session.head.firstKept, session.oldestSeq)
            return oldest > 1 ? oldest : nil
        }
    }

    /// The seq from which on everything of `id` is in memory.
    func oldestSeq(of id: SessionID) -> Int64 {
        sessions[id]?.oldestSeq ?? 1
    }

    /// The same of each session.
    var oldestSeqs: [SessionID: Int64] { sessions.mapValues(\.oldestSeq) }

    /// The global id from which on everything is in memory.
    var oldestGlobalID: Int64 { all.first?.firstGlobalID ?? globalHead + 1 }

    func recent(_ id: SessionID, after seq: Int64, limit: Int) -> RecentEvents {
        guard let session = sessions[id], seq < session.head.last else { return .caughtUp }
        let oldest = oldestSeq(of: id)
        guard seq >= oldest - 1 else { return .older(oldestInMemory: oldest) }
        return .blocks(session.blocks.slices(after: seq, limit: limit, first: \.firstSeq))
    }

    func recentGlobal(after globalID: Int64, limit: Int) -> RecentEvents {
        guard globalID < globalHead else { return .caughtUp }
        let oldest = oldestGlobalID
        guard globalID >= oldest - 1 else { return .older(oldestInMemory: oldest) }
        return .blocks(all.slices(after: globalID, limit: limit, first: \.firstGlobalID))
    }
}
