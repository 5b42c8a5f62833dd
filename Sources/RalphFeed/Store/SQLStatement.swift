import GRDB
import GRDBSQLite

/// One prepared statement of a connection's cache, driven through SQLite's C interface: on the way of every
/// event, GRDB's values would cost more than the work itself.
///
/// Parameters count from 1, columns from 0. Bound bytes are not copied: they must live until the step.
struct SQLStatement {
    private let statement: Statement
    private let handle: OpaquePointer

    /// The statement `sql` on `db`, prepared at its first use there; use it inside the same access only.
    init(_ sql: String, on db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
        handle = statement.sqliteStatement
    }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
    func bind(_ index: Int32, _ value: Int) { sqlite3_bind_int64(handle, index, Int64(value)) }
    func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

    /// Binds `bytes` as a blob; an empty one is a blob of no bytes, not NULL.
    func bind(_ index: Int32, bytes: UnsafeRawBufferPointer) {
        if let base = bytes.baseAddress, !bytes.isEmpty {
            sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil)
        } else {
            sqlite3_bind_zeroblob(handle, index, 0)
        }
    }

    /// Binds `text`, which SQLite copies.
    func bind(_ index: Int32, text: String) {
        var text = text
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { characters in
                // SQLITE_TRANSIENT of sqlite3.h, a cast that Swift does not import.
                let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                _ = sqlite3_bind_text(handle, index, characters.baseAddress, Int32(characters.count), copied)
            }
        }
    }

    /// Binds UTF-8 `text`, which SQLite copies.
    func bind(_ index: Int32, text: [UInt8]) {
        text.withUnsafeBytes { bytes in
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            let characters = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            // Without a byte of its own, an empty text would be NULL.
            if characters == nil || bytes.isEmpty {
                sqlite3_bind_text(handle, index, "", 0, copied)
            } else {
                sqlite3_bind_text(handle, index, characters, Int32(bytes.count), copied)
            }
        }
    }

    /// Steps a statement that gives no rows, and makes it ready for the next values.
    func run() throws {
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
        sqlite3_reset(handle)
    }

    /// Calls `row` for every row; `row` gives `false` to stop. Columns are valid inside the call.
    func forEachRow(_ row: () throws -> Bool) throws {
        defer { sqlite3_reset(handle) }
        while true {
            let code = sqlite3_step(handle)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            guard try row() else { return }
        }
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The bytes of a blob or text; valid until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
    }

    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The error of the step that gave `code`; the statement is ready again afterwards.
    private func failure(_ code: Int32) -> DatabaseError {
        let message = sqlite3_db_handle(handle).flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
        sqlite3_reset(handle)
        return DatabaseError(
            resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }
}
