import GRDB
import RalphWire

/// What the index's thread does; each function is one transaction.
extension SearchStore {
    /// The numbers that stand for sessions.
    func sessionKeys() throws -> [SessionID: Int64] {
        try pool.read { db in
            var keys: [SessionID: Int64] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT id, key FROM session") {
                if let id = SessionID(row["id"]) { keys[id] = row["key"] }
            }
            return keys
        }
    }

    /// Gives `id` a number.
    func insertSession(_ id: SessionID) throws -> Int64 {
        try pool.write { db in
            try db.execute(sql: "INSERT INTO session (id) VALUES (?)", arguments: [id.rawValue])
            return db.lastInsertedRowID
        }
    }

    /// Adds `entries` and notes that the index reaches to `cursor`.
    func write(
        _ entries: [(key: Int64, entry: SearchEntry)], cursor: Int64, pace: inout WorkPace
    ) throws {
        try pool.write { db in
            let insert = try SQLStatement("INSERT INTO entry VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)", on: db)
            for (key, entry) in entries {
                insert.bind(1, entry.globalID)
                insert.bind(2, key)
                insert.bind(3, entry.seq)
                insert.bind(4, entry.timestamp)
                insert.bind(5, text: entry.type)
                insert.bind(6, text: entry.topic)
                insert.bind(7, text: entry.hat)
                insert.bind(8, text: entry.tool)
                insert.bind(9, text: entry.text)
                try insert.run()
                try pace.restOrEnd()
            }
            if mode == .fts5 { try index(entries, db, &pace) }
            let note = try SQLStatement("UPDATE meta SET value = ?1 WHERE name = 'cursor'", on: db)
            note.bind(1, cursor)
            try note.run()
        }
    }

    private func index(
        _ entries: [(key: Int64, entry: SearchEntry)], _ db: Database, _ pace: inout WorkPace
    ) throws {
        let insert = try SQLStatement(
            "INSERT INTO words (rowid, topic, hat, tool, text) VALUES (?1,?2,?3,?4,?5)", on: db)
        for (_, entry) in entries {
            insert.bind(1, entry.globalID)
            insert.bind(2, text: entry.topic)
            insert.bind(3, text: entry.hat)
            insert.bind(4, text: entry.tool)
            insert.bind(5, text: entry.text)
            try insert.run()
            try pace.restOrEnd()
        }
    }

    /// Takes out entries of session `key` before `seq`, the oldest first, at most `limit`; gives how many.
    func trim(_ key: Int64, before seq: Int64, limit: Int, pace: inout WorkPace) throws -> Int {
        try pool.write { db in
            let select = try SQLStatement(
                """
                SELECT global_id, topic, hat, tool, text, seq FROM entry
                WHERE session = ?1 AND seq < ?2 ORDER BY seq LIMIT ?3
                """, on: db)
            select.bind(1, key)
            select.bind(2, seq)
            select.bind(3, limit)
            var (count, last): (Int, Int64) = (0, 0)
            try select.forEachRow {
                if mode == .fts5 { try forget(select, db) }
                try pace.restOrEnd()
                (count, last) = (count + 1, select.integer(5))
                return true
            }
            let delete = try SQLStatement("DELETE FROM entry WHERE session = ?1 AND seq <= ?2", on: db)
            delete.bind(1, key)
            delete.bind(2, last)
            try delete.run()
            return count
        }
    }

    /// Takes the words of a row of `entry` out of the index, which must be told them once more (FTS5, section 6.3).
    private func forget(_ row: SQLStatement, _ db: Database) throws {
        let delete = try SQLStatement(
            "INSERT INTO words (words, rowid, topic, hat, tool, text) VALUES ('delete', ?1,?2,?3,?4,?5)",
            on: db)
        delete.bind(1, row.integer(0))
        for column: Int32 in 1...4 { delete.bind(column + 1, text: Array(row.bytes(column))) }
        try delete.run()
    }
}
