import RalphWire

/// The newest blocks of all sessions, and the head of every session.
///
/// Every block is in two queues, the one of all sessions and that of its own; the oldest leave both.
struct MemoryTail {
    /// One session's head and what is in memory of it.
    private struct Recent {
        var head: FeedHead
        var blocks = BlockQueue()
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

    /// What was just stored: the blocks in global order, and the heads as they are now.
    mutating func insert(_ blocks: [EventBlock], heads: [(SessionID, FeedHead)]) {
        for block in blocks {
            sessions[block.session, default: Recent(head: FeedHead())].blocks.append(block)
            all.append(block)
            cost += block.cost
            globalHead = block.lastGlobalID
        }
        for (id, head) in heads { sessions[id, default: Recent(head: head)].head = head }
        while cost > capacity, let oldest = all.first {
            all.removeFirst()
            sessions[oldest.session]?.blocks.removeFirst()
            cost -= oldest.cost
        }
    }

    func head(of id: SessionID) -> FeedHead? { sessions[id]?.head }

    func recent(_ id: SessionID, after seq: Int64, limit: Int) -> RecentEvents {
        guard let session = sessions[id], seq < session.head.last else { return .caughtUp }
        let oldest = session.blocks.first?.firstSeq ?? session.head.last + 1
        guard seq >= oldest - 1 else { return .older(oldestInMemory: oldest) }
        return .blocks(session.blocks.slices(after: seq, limit: limit, first: \.firstSeq))
    }

    func recentGlobal(after globalID: Int64, limit: Int) -> RecentEvents {
        guard globalID < globalHead else { return .caughtUp }
        let oldest = all.first?.firstGlobalID ?? globalHead + 1
        guard globalID >= oldest - 1 else { return .older(oldestInMemory: oldest) }
        return .blocks(all.slices(after: globalID, limit: limit, first: \.firstGlobalID))
    }
}
