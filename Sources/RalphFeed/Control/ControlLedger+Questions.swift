import Foundation
import GRDB
package import RalphWire

/// Questions to people, so that they outlive the server.
extension ControlLedger {
    /// Keeps a question in place of what was kept under `id`.
    ///
    /// - Parameters:
    ///   - value: opaque here.
    ///   - at: when this was so, milliseconds since 1970; of closed questions the newest are kept.
    package func saveQuestion(
        _ id: String, session: SessionID, isOpen: Bool, _ value: [UInt8], at time: Int64
    ) throws(StoreError) {
        try write(bytes: value.count) { db in
            try db.execute(
                sql:
                    "INSERT OR REPLACE INTO question (id, session, is_open, at, value) VALUES (?, ?, ?, ?, ?)",
                arguments: [id, session.rawValue, isOpen, time, Data(value)])
            guard !isOpen else { return }
            try db.execute(
                sql: """
                    DELETE FROM question WHERE is_open = 0 AND (at, id) <= (
                        SELECT at, id FROM question WHERE is_open = 0
                        ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?)
                    """, arguments: [Self.maximumClosedQuestions])
        }
    }

    /// The questions, open and closed, oldest first.
    package func questions() throws(StoreError) -> [StoredQuestion] {
        try store.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM question ORDER BY at, id")
            return rows.compactMap(Self.question)
        }
    }

    private static func question(_ row: Row) -> StoredQuestion? {
        SessionID(row["session"] as String).map {
            StoredQuestion(id: row["id"], session: $0, isOpen: row["is_open"], value: bytes(row["value"]))
        }
    }
}
