import Foundation
import GRDB
import RalphWire

/// The SQLite file of the index: opened, or made anew where it does not fit the event store.
///
/// Write-ahead log, so that searches and the index's own writes do not wait for each other, and a file of its own, so
/// that neither ever waits for the event store's lock or makes it wait.
final class SearchStore: Sendable {
    /// Searches that read at the same time.
    static let maximumReaders = 2
    /// Moves with every change of the tables or of what is put into them.
    private static let version = "1"

    let mode: SearchMode
    let pool: ConnectionPool
    /// Whether an earlier file was thrown away.
    let isRebuilt: Bool
    /// The global id up to which events were in the index when it was opened.
    let cursor: Int64

    /// Opens the index of the store of `epoch`, whose newest event was `globalHead` when nothing had been
    /// appended yet; a file that is damaged, of another store, ring or version, or ahead of the store is replaced.
    init(path: String, mode: SearchMode, epoch: String, ring: Int, globalHead: Int64) throws {
        self.mode = mode
        let identity = "\(Self.version)-\(mode.rawValue)-\(epoch)-\(ring)"
        let existed = FileManager.default.fileExists(atPath: path)
        if existed, let (pool, cursor) = Self.reopen(path, identity, globalHead) {
            (self.pool, self.cursor, isRebuilt) = (pool, cursor, false)
            return
        }
        try Self.remove(path)
        pool = try Self.open(path)
        try pool.write { db in
            try db.execute(sql: Self.schema)
            if mode == .fts5 { try db.execute(sql: Self.wordsSchema) }
            try db.execute(
                sql: "INSERT INTO meta VALUES ('identity', ?), ('cursor', 0)", arguments: [identity])
        }
        (cursor, isRebuilt) = (0, existed)
    }

    /// Closes the connections; a search that is under way ends first.
    func close() { pool.close() }

    /// The file as it was left; `nil` if it is no index of `identity`, ahead of the store, or cannot be read.
    private static func reopen(
        _ path: String, _ identity: String, _ globalHead: Int64
    ) -> (ConnectionPool, Int64)? {
        // Whatever is wrong with it: an index that cannot be opened is made anew.
        guard let pool = try? open(path) else { return nil }
        // The same.
        let stored = try? pool.read { db in try Row.fetchOne(db, sql: selectMeta) }
        if let stored, stored["identity"] == identity, let cursor: Int64 = stored["cursor"],
            cursor <= globalHead
        {
            return (pool, cursor)
        }
        pool.close()
        return nil
    }

    private static func open(_ path: String) throws -> ConnectionPool {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Foundation.close(descriptor) }
        var settings = Configuration()
        settings.label = "search"
        settings.busyMode = .timeout(5)
        settings.maximumReaderCount = maximumReaders
        settings.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA cache_size = -4096")
        }
        return try ConnectionPool(path: path, configuration: settings)
    }

    private static func remove(_ path: String) throws {
        for suffix in ["", "-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: String(cString: strerror(errno)))
        }
    }

    private static let selectMeta = """
        SELECT i.value AS identity, c.value AS cursor FROM meta i, meta c
        WHERE i.name = 'identity' AND c.name = 'cursor'
        """

    /// `entry` holds what is searched, prepared (``SearchText``), and what is filtered by; `words` indexes its
    /// texts and keeps none of its own.
    private static let schema = """
        CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        CREATE TABLE session (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
        CREATE TABLE entry (
            global_id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL,
            ts INTEGER NOT NULL, type TEXT NOT NULL, topic TEXT NOT NULL, hat TEXT NOT NULL,
            tool TEXT NOT NULL, text TEXT NOT NULL);
        CREATE UNIQUE INDEX entry_seq ON entry (session, seq);
        """
    private static let wordsSchema = """
        CREATE VIRTUAL TABLE words USING fts5(
            topic, hat, tool, text, content = 'entry', content_rowid = 'global_id',
            tokenize = "\(SearchMode.tokenizer)");
        """
}
