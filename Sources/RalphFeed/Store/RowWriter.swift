import GRDB
import RalphWire

/// The rows of one transaction; says how each table is written, not when.
struct RowWriter {
    let db: Database
    let ring: Int

    /// Adds a session and gives its key.
    func insertSession(_ id: SessionID, directory: String) throws -> Int64 {
        let statement = try SQLStatement("INSERT INTO session (id, directory) VALUES (?1, ?2)", on: db)
        statement.bind(1, text: id.rawValue)
        statement.bind(2, text: directory)
        try statement.run()
        return db.lastInsertedRowID
    }

    /// Writes the newest events of `batch`, as many as the ring holds; each takes the slot of the oldest one.
    func insertEvents(of numbered: NumberedAppend, session key: Int64, pace: inout WorkPace) throws {
        let batch = numbered.append.batch
        try batch.bytes.withUnsafeBytes { bytes in
            var index = max(0, batch.count - ring)
            while index < batch.count {
                let insert = Self.insert(of: batch.items[index...])
                let statement = try SQLStatement(insert.sql, on: db)
                for row in 0..<insert.rows {
                    let item = batch.items[index + row]
                    let seq = numbered.firstSeq + Int64(index + row)
                    let globalID = numbered.firstGlobalID + Int64(index + row)
                    statement.bind(row, EventStore.slot(key, seq, ring: ring), seq, globalID, item, bytes)
                }
                try statement.run()
                pace.restIfDue()
                index += insert.rows
            }
        }
    }

    /// The statement for the next of `items`: many rows at once cost less than one by one, and what takes long is not
    /// stored together, so that rests are kept.
    private static func insert(of items: ArraySlice<EventBatch.Item>) -> (rows: Int, sql: String) {
        inserts.first { insert in
            guard insert.rows <= items.count else { return false }
            let last = items[items.startIndex + insert.rows - 1]
            return last.members.upperBound - items[items.startIndex].members.lowerBound <= bytesAtOnce
        } ?? insertOne
    }

    /// Notes that events from `globalID` on are those of `session` from `seq` on.
    func insertGlobalStretch(_ globalID: Int64, _ session: Int64, _ seq: Int64) throws {
        let statement = try SQLStatement("INSERT INTO global_index VALUES (?1, ?2, ?3)", on: db)
        statement.bind(1, globalID)
        statement.bind(2, session)
        statement.bind(3, seq)
        try statement.run()
    }

    /// Notes that the tables have everything of the journal up to `number`.
    func updateJournal(_ number: Int64) throws {
        let statement = try SQLStatement(
            "INSERT OR REPLACE INTO meta (name, value) VALUES ('journal', ?1)", on: db)
        statement.bind(1, number)
        try statement.run()
    }

    /// Writes the session's own row.
    func upsertHead(_ head: FeedHead, session: Int64) throws {
        let statement = try SQLStatement(Self.upsertHead, on: db)
        statement.bind(1, session)
        statement.bind(2, head.last)
        statement.bind(3, head.firstKept)
        statement.bind(4, head.lastGlobalID)
        statement.bind(5, head.newestTimestamp)
        try statement.run()
    }

    /// Writes the bookmarks that moved; `seq` is the head that they belong to. An empty one says that its file is gone for
    /// good.
    ///
    /// - Parameter removals: those of such files that were begun.
    func upsertCheckpoints(
        _ checkpoints: [String: [UInt8]], session: Int64, seq: Int64, removals: [ArchiveRemoval],
        pace: inout WorkPace
    ) throws {
        guard !checkpoints.isEmpty else { return }
        let statement = try SQLStatement(Self.upsertCheckpoint, on: db)
        for (name, value) in checkpoints {
            if value.isEmpty {
                try removeCheckpoint(name, session: session)
                let begun = removals.first { $0.session == session && $0.file == name }
                if let removal = try begun ?? removal(of: name, session: session) {
                    try finish(removal, pace: &pace)
                }
                continue
            }
            statement.bind(1, session)
            statement.bind(2, text: name)
            statement.bind(3, seq)
            try value.withUnsafeBytes { bytes in
                statement.bind(4, bytes: bytes)
                try statement.run()
            }
        }
    }

    private func removeCheckpoint(_ name: String, session: Int64) throws {
        let statement = try SQLStatement("DELETE FROM checkpoint WHERE session = ?1 AND name = ?2", on: db)
        statement.bind(1, session)
        statement.bind(2, text: name)
        try statement.run()
    }

    func upsertState(_ state: [UInt8], session: Int64) throws {
        let statement = try SQLStatement("INSERT OR REPLACE INTO state VALUES (?1, ?2)", on: db)
        statement.bind(1, session)
        try state.withUnsafeBytes { bytes in
            statement.bind(2, bytes: bytes)
            try statement.run()
        }
    }

    /// Adds to what is stored of each day.
    func addFigures(_ figures: FigureDays, session: SessionID) throws {
        try FigureColumns.add(figures, session: session, on: db)
    }

    /// What several events that are stored by one step may have together.
    private static let bytesAtOnce = 64 << 10
    private static let inserts = [16, 4].map(insertEvents)
    private static let insertOne = insertEvents(1)

    private static func insertEvents(_ rows: Int) -> (rows: Int, sql: String) {
        let values = repeatElement("(?,?,?,?,?,?,?,?,?,?)", count: rows).joined(separator: ",")
        return (rows, "INSERT OR REPLACE INTO event VALUES \(values)")
    }

    private static let upsertHead = "INSERT OR REPLACE INTO checkpoint VALUES (?1,'',?2,NULL,?3,?4,?5)"
    private static let upsertCheckpoint =
        "INSERT OR REPLACE INTO checkpoint VALUES (?1,?2,?3,?4,NULL,NULL,NULL)"
}

extension SQLStatement {
    /// Binds the values of an event for the `row`th row of `event`, from 0.
    ///
    /// - Parameter bytes: what the positions of `item` are positions in.
    fileprivate func bind(
        _ row: Int, _ slot: Int64, _ seq: Int64, _ globalID: Int64, _ item: EventBatch.Item,
        _ bytes: UnsafeRawBufferPointer
    ) {
        let first = Int32(row * 10)
        let start = item.members.lowerBound
        bind(first + 1, slot)
        bind(first + 2, seq)
        bind(first + 3, globalID)
        bind(first + 4, item.timestamp)
        bind(first + 5, item.origin.code)
        bind(first + 6, item.topic.lowerBound - start)
        bind(first + 7, item.topic.upperBound - start)
        bind(first + 8, item.type.lowerBound - start)
        bind(first + 9, item.type.upperBound - start)
        bind(first + 10, bytes: UnsafeRawBufferPointer(rebasing: bytes[item.members]))
    }
}
