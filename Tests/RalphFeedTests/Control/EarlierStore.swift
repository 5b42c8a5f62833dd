import GRDB

/// Makes stores what earlier versions would have left.
enum EarlierStore {
    /// Takes away what the migration `control` made.
    static func takeLedgerAway(from path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            for table in ["run", "command", "question", "idempotency"] {
                try db.execute(sql: "DROP TABLE \(table)")
            }
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = 'control'")
        }
        try queue.close()
    }
}
