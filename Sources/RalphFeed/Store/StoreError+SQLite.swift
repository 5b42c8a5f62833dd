import GRDB

extension StoreError {
    /// What `error` of SQLite means for the store at `path` (sqlite.org/rescode.html).
    init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path: path, reason: reason)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
            self = .unwritable(path: path, reason: reason)
        case .SQLITE_MISUSE: self = .closed
        default: self = .failed(path: path, reason: "\(error.extendedResultCode): \(reason)")
        }
    }

    /// Runs `body`, whose errors become those of the store at `path`.
    static func mapping<Result>(_ path: String, _ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        } catch {
            throw .failed(path: path, reason: "\(error)")
        }
    }
}
