import GRDB
import RalphWire

/// What can be read back; every function is one consistent view.
extension EventStore {
    /// All sessions with their heads, in the order of their keys.
    func knownSessions() throws(StoreError) -> [KnownSession] {
        try read { db in
            let select = try SQLStatement(Self.selectSessions + " ORDER BY s.key", on: db)
            var known: [KnownSession] = []
            try select.forEachRow {
                if let id = SessionID(select.text(0)) {
                    known.append(KnownSession(id: id, key: select.integer(1), head: Self.head(select)))
                }
                return true
            }
            return known
        }
    }

    /// The number up to which the tables have what the journal holds.
    func journalNumber() throws(StoreError) -> Int64 {
        try read { try Int64.fetchOne($0, sql: "SELECT value FROM meta WHERE name = 'journal'") ?? 0 }
    }

    /// Bookmarks, state and head of `id`; `nil` if nothing was ever stored for it.
    func saved(_ id: SessionID) throws(StoreError) -> SavedSession? {
        try read { db in
            guard let session = try Self.session(id, db) else { return nil }
            var saved = SavedSession(checkpoints: [:], state: nil, head: session.head)
            let select = try SQLStatement(
                "SELECT name, value FROM checkpoint WHERE session = ?1 AND name <> ''", on: db)
            select.bind(1, session.key)
            try select.forEachRow {
                saved.checkpoints[select.text(0)] = Array(select.bytes(1))
                return true
            }
            let state = try SQLStatement("SELECT value FROM state WHERE session = ?1", on: db)
            state.bind(1, session.key)
            try state.forEachRow {
                saved.state = Array(state.bytes(0))
                return false
            }
            return saved
        }
    }

    /// The oldest kept events of `id` behind `seq`, at most `limit`, and no more behind ``StoredRows/maximumBytes``.
    func stored(_ id: SessionID, after seq: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        try read { db in
            guard limit > 0, let session = try Self.session(id, db) else { return [] }
            let first = max(seq + 1, session.head.firstKept)
            let last = min(session.head.last, first + Int64(limit) - 1)
            return try rows(of: session, first, last, room: StoredRows.maximumBytes, db).blocks(of: id)
        }
    }

    /// The oldest kept events of all sessions behind `globalID`, at most `limit`, with the same bound.
    func storedGlobal(after globalID: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        try read { db in
            var blocks: [EventBlock] = []
            var remaining = limit
            var room = StoredRows.maximumBytes
            var sessions: [Int64: KnownSession] = [:]
            try forEachStretch(from: globalID + 1, db) { stretch in
                guard remaining > 0 else { return false }
                let session = try sessions[stretch.session] ?? Self.session(key: stretch.session, db)
                guard let session else { return true }
                sessions[stretch.session] = session
                let seqs = stretch.seqs(from: globalID + 1, head: session.head, limit: remaining)
                guard !seqs.isEmpty else { return true }
                let rows = try rows(of: session, seqs.lowerBound, seqs.upperBound - 1, room: room, db)
                    .prefix(withGlobalIDMinusSeq: stretch.globalID - stretch.seq)
                blocks += rows.blocks(of: session.id)
                remaining -= rows.count
                room -= rows.bytes
                return room > 0
            }
            return blocks
        }
    }

    /// The rows `first ... last` of one session, which must be in its ring, as far as there is room.
    private func rows(
        of session: KnownSession, _ first: Int64, _ last: Int64, room: Int, _ db: Database
    ) throws -> StoredRows {
        var rows = StoredRows(firstSeq: first, room: room)
        guard first <= last else { return rows }
        let select = try SQLStatement(Self.selectEvents, on: db)
        let start = Self.slot(session.key, first, ring: ring)
        let end = Self.slot(session.key, last, ring: ring)
        if start <= end {
            try rows.read(select, slots: start, end)
        } else {
            try rows.read(select, slots: start, session.key << Self.slotBits | Int64(ring - 1))
            if !rows.isFull { try rows.read(select, slots: session.key << Self.slotBits, end) }
        }
        guard rows.isFull || rows.count == Int(last - first + 1) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an event is missing")
        }
        return rows
    }

    static func session(_ id: SessionID, _ db: Database) throws -> KnownSession? {
        let select = try SQLStatement(selectSessions + " WHERE s.id = ?1", on: db)
        select.bind(1, text: id.rawValue)
        return try one(select)
    }

    static func session(key: Int64, _ db: Database) throws -> KnownSession? {
        let select = try SQLStatement(selectSessions + " WHERE s.key = ?1", on: db)
        select.bind(1, key)
        return try one(select)
    }

    private static func one(_ select: SQLStatement) throws -> KnownSession? {
        var known: KnownSession?
        try select.forEachRow {
            known = SessionID(select.text(0)).map {
                KnownSession(id: $0, key: select.integer(1), head: head(select))
            }
            return false
        }
        return known
    }

    private static func head(_ row: SQLStatement) -> FeedHead {
        FeedHead(
            firstKept: row.integer(3), last: row.integer(2), lastGlobalID: row.integer(4),
            newestTimestamp: row.integer(5))
    }

    private static let selectSessions = """
        SELECT s.id, s.key, c.seq, c.first_kept, c.global_id, c.ts FROM session s
        JOIN checkpoint c ON c.session = s.key AND c.name = ''
        """
    private static let selectEvents = """
        SELECT seq, global_id, ts, origin, topic_start, topic_end, type_start, type_end, members
        FROM event WHERE slot BETWEEN ?1 AND ?2 ORDER BY slot
        """
}
