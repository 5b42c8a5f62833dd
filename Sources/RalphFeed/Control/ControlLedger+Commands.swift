import GRDB
package import RalphWire
import Synchronization

/// The record of commands.
extension ControlLedger {
    /// Notes a command before it is carried out, and gives its id; ids ascend and are never used again.
    package func begin(_ command: CommandRecord) throws(StoreError) -> Int64 {
        try write(bytes: command.detail?.utf8.count ?? 0) { db in
            try db.execute(
                sql: """
                    INSERT INTO command
                        (session, kind, by, marker, detail, requested_at, outcome, status, concluded_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    command.session?.rawValue, command.kind, command.by, command.marker,
                    Self.cut(command.detail), command.requestedAt, command.outcome, command.status,
                    command.concludedAt,
                ])
            let id = db.lastInsertedRowID
            try db.execute(
                sql: "DELETE FROM command WHERE id <= ?", arguments: [id - Self.maximumCommands])
            return id
        }
    }

    /// Notes what became of the command `id`; passed over if it is not kept any more. When that throws,
    /// ``commands(of:before:limit:)`` tells it all the same, and a later transaction stores it.
    ///
    /// - Parameters:
    ///   - status: the HTTP status that is answered.
    ///   - detail: replaces the one that there is; `nil`: that one stays.
    ///   - at: milliseconds since 1970.
    package func conclude(
        _ id: Int64, outcome: String, status: Int, detail: String?, at time: Int64
    ) throws(StoreError) {
        let end = UnstoredOutcomes.Outcome(
            outcome: outcome, status: status, detail: Self.cut(detail), concludedAt: time)
        try write(bytes: end.detail?.utf8.count ?? 0, failed: { note(end, of: id) }) { db in
            try Self.conclude(id, end, db)
        }
    }

    /// Stores what became of commands where that could not be stored; in no transaction.
    func storeOutcomes(_ db: Database) throws {
        let ends = unstored.withLock(\.kept)
        guard !ends.isEmpty else { return }
        try db.inTransaction(.immediate) {
            for (id, end) in ends { try Self.conclude(id, end, db) }
            return .commit
        }
        for id in ends.keys { note(nil, of: id) }
    }

    private static func conclude(_ id: Int64, _ end: UnstoredOutcomes.Outcome, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE command SET outcome = ?, status = ?, detail = coalesce(?, detail),
                    concluded_at = ? WHERE id = ?
                """, arguments: [end.outcome, end.status, end.detail, end.concludedAt, id])
    }

    private func note(_ end: UnstoredOutcomes.Outcome?, of id: Int64) {
        unstored.withLock { $0[id] = end }
    }

    /// Commands, newest first.
    ///
    /// - Parameters:
    ///   - session: `nil`: of all sessions and of none.
    ///   - before: only those with a smaller id.
    ///   - limit: at most this many.
    package func commands(
        of session: SessionID?, before: Int64?, limit: Int
    ) throws(StoreError) -> [CommandRecord] {
        // Before the rows: what is stored meanwhile says the same.
        let ends = unstored.withLock(\.kept)
        return try store.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM command WHERE (?1 IS NULL OR session = ?1) AND id < ?2
                    ORDER BY id DESC LIMIT ?3
                    """, arguments: [session?.rawValue, before ?? .max, max(0, limit)])
            return rows.map { command($0, ends) }
        }
    }

    private func command(_ row: Row, _ ends: [Int64: UnstoredOutcomes.Outcome]) -> CommandRecord {
        let (id, concludedAt): (Int64, Int64?) = (row["id"], row["concluded_at"])
        // How one ended that a server left behind when it died, nobody knows.
        let isLost = concludedAt == nil && id <= store.newestEarlierCommand
        var record = CommandRecord(
            id: id, session: (row["session"] as String?).flatMap { SessionID($0) },
            kind: row["kind"], by: row["by"], marker: row["marker"], detail: row["detail"],
            requestedAt: row["requested_at"],
            outcome: isLost ? CommandRecord.unknownOutcome : row["outcome"], status: row["status"],
            concludedAt: concludedAt)
        guard let end = ends[id] else { return record }
        (record.outcome, record.status, record.concludedAt) = (end.outcome, end.status, end.concludedAt)
        record.detail = end.detail ?? record.detail
        return record
    }

    /// At most ``maximumDetailBytes`` of `detail`, whole characters.
    private static func cut(_ detail: String?) -> String? {
        guard let detail, detail.utf8.count > maximumDetailBytes else { return detail }
        var end = detail.utf8.index(detail.startIndex, offsetBy: maximumDetailBytes)
        while end.samePosition(in: detail.unicodeScalars) == nil { end = detail.utf8.index(before: end) }
        return String(detail[..<end])
    }
}
