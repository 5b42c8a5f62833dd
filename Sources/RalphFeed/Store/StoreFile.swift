import GRDBSQLite
import RalphWire

/// One connection that reads a database file and gives up at a deadline.
///
/// Not a GRDB queue: the file must not be locked, and nothing may be made beside it, which needs a URI
/// (sqlite.org/uri.html, "immutable").
final class StoreFile {
    /// What SQLite said.
    struct Failure: Error {
        /// A primary result code.
        let code: Int32
        let reason: String
    }

    private var connection: OpaquePointer?
    /// Looked at by the connection.
    private let deadline: StatementDeadline

    /// - Parameter isWritten: whether files may be made beside it.
    init(path: String, isWritten: Bool, until end: ContinuousClock.Instant) throws(Failure) {
        deadline = StatementDeadline(end)
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-_.~".utf8)
        let name = path.utf8.map { byte in
            allowed.contains(byte)
                ? String(decoding: [byte], as: UTF8.self)
                : "%" + Hexadecimal.text(byte)
        }.joined()
        let uri = "file:\(name)" + (isWritten ? "" : "?immutable=1")
        let flags = SQLITE_OPEN_URI | (isWritten ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
        guard sqlite3_open_v2(uri, &connection, flags, nil) == SQLITE_OK else { throw failure }
        deadline.watch(connection, every: 10_000)
    }

    deinit { sqlite3_close_v2(connection) }

    /// The first column of every row, as text.
    func firstColumn(_ sql: String) throws(Failure) -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return rows
            default: throw failure
            }
        }
    }

    private var failure: Failure {
        Failure(
            code: sqlite3_errcode(connection) & 0xFF,
            reason: sqlite3_errmsg(connection).map { String(cString: $0) } ?? "no memory")
    }
}
