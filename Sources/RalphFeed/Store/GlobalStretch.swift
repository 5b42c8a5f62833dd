import GRDB
import RalphWire

/// A row of `global_index` and where it ends at the latest.
struct GlobalStretch {
    let globalID: Int64
    let session: Int64
    let seq: Int64
    /// The global id that the next row begins with; `Int64.max` for the newest row.
    let end: Int64

    /// The kept seqs from global id `first` on, at most `limit`, all of them in the ring.
    func seqs(from first: Int64, head: FeedHead, limit: Int) -> Range<Int64> {
        let length = end == .max ? head.last + 1 - seq : end - globalID
        let lower = max(seq + max(0, first - globalID), head.firstKept)
        let upper = min(seq + length, head.last + 1)
        return lower < upper ? lower..<min(upper, lower + Int64(limit)) : lower..<lower
    }
}

extension EventStore {
    /// Calls `body` for the stretches that may hold events from global id `first` on; `false` stops.
    func forEachStretch(from first: Int64, _ db: Database, _ body: (GlobalStretch) throws -> Bool) throws {
        let select = try SQLStatement(
            """
            SELECT global_id, session, seq FROM global_index WHERE global_id >=
                coalesce((SELECT max(global_id) FROM global_index WHERE global_id <= ?1), 0)
            ORDER BY global_id
            """, on: db)
        select.bind(1, first)
        var pending: (globalID: Int64, session: Int64, seq: Int64)?
        func finish(_ end: Int64) throws -> Bool {
            guard let (globalID, session, seq) = pending else { return true }
            return try body(GlobalStretch(globalID: globalID, session: session, seq: seq, end: end))
        }
        var isWanted = true
        try select.forEachRow {
            isWanted = try finish(select.integer(0))
            pending = (select.integer(0), select.integer(1), select.integer(2))
            return isWanted
        }
        if isWanted { _ = try finish(.max) }
    }

    /// The global id of event `seq` of `id` if its stretch is in the index, else an id before it, as later stretches of a
    /// session have later ids; `nil`: no stretch of it is that old.
    func globalID(of seq: Int64, in id: SessionID) throws(StoreError) -> Int64? {
        try read { db in
            let select = try SQLStatement(
                """
                SELECT global_id, seq FROM global_index
                WHERE session = (SELECT key FROM session WHERE id = ?1) AND seq <= ?2 ORDER BY seq DESC LIMIT 1
                """, on: db)
            select.bind(1, text: id.rawValue)
            select.bind(2, seq)
            var found: Int64?
            try select.forEachRow {
                found = select.integer(0) + seq - select.integer(1)
                return false
            }
            return found
        }
    }

    /// The global id behind which the newest `count` kept events with ids below `end` come; where fewer are kept,
    /// all of them. `nil`: none is.
    ///
    /// - Parameter bounds: from which seq on a session's events have ids of `end` and more, if it has such.
    func globalCursor(
        ofNewest count: Int64, below end: Int64, before bounds: [SessionID: Int64]
    ) throws(StoreError) -> Int64? {
        try read { db in
            let select = try SQLStatement(
                "SELECT global_id, session, seq FROM global_index WHERE global_id < ?1 ORDER BY global_id DESC",
                on: db)
            select.bind(1, end)
            var (end, missing, cursor) = (end, count, Int64?.none)
            // Where each session's later stretches begin: of what is between, rows may have been taken out.
            var later: [Int64: Int64] = [:]
            var heads: [Int64: (FeedHead, end: Int64)] = [:]
            try select.forEachRow {
                let stretch = GlobalStretch(
                    globalID: select.integer(0), session: select.integer(1), seq: select.integer(2), end: end)
                end = stretch.globalID
                let found =
                    try heads[stretch.session]
                    ?? Self.session(key: stretch.session, db).map {
                        ($0.head, end: bounds[$0.id] ?? .max)
                    }
                guard let (head, newest) = found else { return true }
                heads[stretch.session] = found
                let bound = later.updateValue(stretch.seq, forKey: stretch.session) ?? newest
                let seqs = stretch.seqs(
                    from: stretch.globalID, head: head, limit: Int(stretch.end - stretch.globalID)
                ).clamped(to: .min..<bound)
                guard !seqs.isEmpty else { return true }
                let taken = min(Int64(seqs.count), missing)
                missing -= taken
                cursor = stretch.globalID + (seqs.upperBound - taken - stretch.seq) - 1
                return missing > 0
            }
            return cursor
        }
    }
}
