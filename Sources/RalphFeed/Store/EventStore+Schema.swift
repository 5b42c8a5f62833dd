import GRDB
import RalphWire

/// The tables. Every event's row has a slot that the event one ring later takes over, so nothing is deleted.
extension EventStore {
    /// How many bits of a slot are the place in the ring; the bits above are the session's key.
    static let slotBits: Int64 = 20

    /// Where the event `seq` of session `key` lies in a ring of `ring` events.
    static func slot(_ key: Int64, _ seq: Int64, ring: Int) -> Int64 {
        key << slotBits | seq % Int64(ring)
    }

    /// What made the tables what they are, oldest first; names never change their meaning.
    static let migrations = [
        (name: "events", sql: eventsSchema), (name: "control", sql: controlSchema),
        (name: "figures", sql: figureSchema),
        // A version that does not know the journal must not write the tables while one may hold something.
        (name: "journal", sql: "INSERT INTO meta (name, value) VALUES ('journal', 0)"),
        (name: "archive", sql: archiveSchema),
    ]

    /// Makes what the tables lack, all of it or nothing, so that the version before goes on with them where there is no room.
    ///
    /// - Throws: ``StoreError/newerSchema(path:)`` where they have what this version does not know.
    static func migrate(_ db: Database, path: String) throws {
        let done =
            try db.tableExists("grdb_migrations")
            ? Set(String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")) : []
        guard done.isSubset(of: migrations.map(\.name)) else { throw StoreError.newerSchema(path: path) }
        let missing = migrations.filter { !done.contains($0.name) }
        guard !missing.isEmpty else { return }
        try db.inTransaction(.immediate) {
            try db.execute(sql: migrationTable)
            for migration in missing {
                try db.execute(sql: migration.sql)
                try db.execute(
                    sql: "INSERT INTO grdb_migrations (identifier) VALUES (?)", arguments: [migration.name])
            }
            return .commit
        }
    }

    /// As GRDB's own migrator makes it, which made the tables of earlier versions, each migration by itself.
    private static let migrationTable =
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"

    /// - `meta`: `journal` is the number up to which the tables have what ``AppendJournal`` holds.
    /// - `checkpoint` with an empty name is the session's own row: `seq` is its head. It lies beside the
    ///   session's bookmarks, so that an append changes one page for both.
    /// - `event.members` and the positions in it are those of ``EventBatch``; `origin` see ``EventOrigin/code``.
    /// - `global_index`: from `global_id` on, events belong to `session` and count on from `seq`, as far as
    ///   their rows agree; the next row ends the stretch at the latest.
    /// - `archive_index`: from `seq` on, events are objects of `file` from `offset` on, until the next row;
    ///   without a file they are of no file.
    private static let eventsSchema = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        CREATE TABLE session (
            key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, directory TEXT NOT NULL);
        CREATE TABLE checkpoint (
            session INTEGER NOT NULL, name TEXT NOT NULL, seq INTEGER NOT NULL, value BLOB,
            first_kept INTEGER, global_id INTEGER, ts INTEGER,
            PRIMARY KEY (session, name)) WITHOUT ROWID;
        CREATE TABLE state (session INTEGER PRIMARY KEY, value BLOB NOT NULL);
        CREATE TABLE event (
            slot INTEGER PRIMARY KEY, seq INTEGER NOT NULL, global_id INTEGER NOT NULL, ts INTEGER NOT NULL,
            origin INTEGER NOT NULL, topic_start INTEGER NOT NULL, topic_end INTEGER NOT NULL,
            type_start INTEGER NOT NULL, type_end INTEGER NOT NULL, members BLOB NOT NULL);
        CREATE TABLE global_index (
            global_id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL);
        CREATE TABLE archive_index (
            session INTEGER NOT NULL, seq INTEGER NOT NULL, file TEXT, generation INTEGER, offset INTEGER,
            iteration INTEGER, hat TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID;
        INSERT INTO meta (name, value) VALUES ('epoch', lower(hex(randomblob(4)))), ('ring', 0);
        """

    /// The tables of ``ControlLedger``. Times are milliseconds since 1970.
    ///
    /// - `idempotency` without `status`: the request is being carried out.
    private static let controlSchema = """
        CREATE TABLE run (session TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE command (
            id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT, kind TEXT NOT NULL, by TEXT NOT NULL,
            marker TEXT NOT NULL, detail TEXT, requested_at INTEGER NOT NULL, outcome TEXT NOT NULL,
            status INTEGER NOT NULL, concluded_at INTEGER);
        CREATE INDEX command_session ON command (session, id);
        CREATE TABLE question (
            id TEXT PRIMARY KEY, session TEXT NOT NULL, is_open INTEGER NOT NULL, at INTEGER NOT NULL,
            value BLOB NOT NULL) WITHOUT ROWID;
        CREATE INDEX question_age ON question (is_open, at, id);
        CREATE TABLE idempotency (
            id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, key TEXT NOT NULL,
            digest BLOB NOT NULL, at INTEGER NOT NULL, status INTEGER, location TEXT, body BLOB,
            UNIQUE (scope, key));
        """

    /// - `figure` adds up for ever, a row for each session and day that has something; `day` see ``FigureDays``.
    ///   Rows outlive their session.
    private static let figureSchema = """
        CREATE TABLE figure (
            session TEXT NOT NULL, day INTEGER NOT NULL, runs INTEGER NOT NULL, iterations INTEGER NOT NULL,
            input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
            cache_read_tokens INTEGER NOT NULL, cache_write_tokens INTEGER NOT NULL,
            peak_input_tokens INTEGER NOT NULL, cost_nanodollars INTEGER NOT NULL,
            tool_calls INTEGER NOT NULL, gates_passed INTEGER NOT NULL, gates_failed INTEGER NOT NULL,
            run_ms INTEGER NOT NULL, suspended_ms INTEGER NOT NULL, halted_ms INTEGER NOT NULL,
            PRIMARY KEY (session, day)) WITHOUT ROWID;
        CREATE INDEX figure_day ON figure (day);
        """

    /// - `archive_beginning`: the first row of `archive_index` of each file.
    ///
    /// Rows of outputs of runs (`agent:`) without a bookmark, which are gone for good, stayed until then, one or more for each
    /// event. With min() the other columns are those of its row (sqlite.org/lang_select.html, 2.5).
    private static let archiveSchema = """
        CREATE TABLE archive_beginning (
            session INTEGER NOT NULL, file TEXT NOT NULL, seq INTEGER NOT NULL, generation INTEGER NOT NULL,
            offset INTEGER NOT NULL, PRIMARY KEY (session, file)) WITHOUT ROWID;
        UPDATE archive_index
            SET file = NULL, generation = NULL, offset = NULL, iteration = NULL, hat = NULL
            WHERE substr(file, 1, 6) = 'agent:' AND NOT EXISTS (
                SELECT 1 FROM checkpoint c WHERE c.session = archive_index.session AND c.name = file);
        DELETE FROM archive_index WHERE file IS NULL AND (
            SELECT b.file IS NULL FROM archive_index b
            WHERE b.session = archive_index.session AND b.seq < archive_index.seq
            ORDER BY b.seq DESC LIMIT 1);
        INSERT INTO archive_beginning
            SELECT session, file, min(seq), generation, offset FROM archive_index
            WHERE file IS NOT NULL GROUP BY session, file;
        """

    /// Moves the kept events to their slots in a ring of `ring` events, if it was another size; gives the size that it
    /// has then: the old one where there is no room for the new one.
    static func resize(to ring: Int, _ db: Database) throws -> Int {
        let old = try Int.fetchOne(db, sql: "SELECT value FROM meta WHERE name = 'ring'") ?? 0
        guard old != ring else { return ring }
        do {
            try db.tellingFullDisk {
                try $0.inTransaction(.immediate) {
                    try move(from: old, to: ring, db)
                    return .commit
                }
            }
            return ring
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && old != 0 {
            return old
        }
    }

    private static func move(from old: Int, to ring: Int, _ db: Database) throws {
        if old != 0 {
            try db.execute(
                sql: """
                    CREATE TEMP TABLE moved AS
                        SELECT e.*, e.slot >> \(slotBits) AS session FROM event e
                        JOIN checkpoint c ON c.session = e.slot >> \(slotBits) AND c.name = ''
                        WHERE e.seq > c.seq - ?1;
                    """, arguments: [ring])
            try db.execute(sql: "DELETE FROM event")
            try db.execute(
                sql: """
                    INSERT INTO event
                        SELECT session << \(slotBits) | seq % ?1, seq, global_id, ts, origin,
                            topic_start, topic_end, type_start, type_end, members
                        FROM moved ORDER BY 1;
                    """, arguments: [ring])
            try db.execute(sql: "DROP TABLE moved")
            try db.execute(
                sql: "UPDATE checkpoint SET first_kept = max(first_kept, seq - ?1 + 1) WHERE name = ''",
                arguments: [ring])
        }
        try db.execute(sql: "UPDATE meta SET value = ? WHERE name = 'ring'", arguments: [ring])
    }
}

extension EventOrigin {
    /// What stands for the origin in `event.origin`; never changes its meaning.
    var code: Int {
        switch self {
        case .engine: 0
        case .agent: 1
        case .server: 2
        case .user: 3
        }
    }

    /// `nil` for a code that no version wrote.
    init?(code: Int64) {
        guard let origin = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = origin
    }
}
