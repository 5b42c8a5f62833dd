import Foundation
import GRDB
import GRDBSQLite

extension StoreError {
    /// What `error` of SQLite means for the store at `path` (sqlite.org/rescode.html).
    init(_ error: DatabaseError, path: String) {
        let reason = error.message ?? error.resultCode.description
        switch error.resultCode {
        // The shared memory of the log has no room to be made (`unixShmMap` of os_unix.c); there is no other reason that
        // is likely.
        case .SQLITE_IOERR where error.extendedResultCode == .SQLITE_IOERR_SHMSIZE:
            self = .diskFull(path: path)
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

extension Database {
    /// Runs `body`. SQLite tells of a full disk, but where a quota leaves no room only of an I/O error (`unixWrite` of its
    /// os_unix.c): that is the same here.
    func tellingFullDisk<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            return try body(self)
        } catch let error as DatabaseError
            where [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
            && systemCodes(of: error).contains(where: [ENOSPC, EDQUOT].contains)
        {
            throw DatabaseError(resultCode: .SQLITE_FULL, message: error.message)
        }
    }

    /// What the system said when `error` came. `sqlite3_system_errno` does not know of a COMMIT, and has what failed before
    /// that; the files keep theirs for good, and are asked only then.
    private func systemCodes(of error: DatabaseError) -> [Int32] {
        let isCommit = error.sql?.hasPrefix("COMMIT") == true
        let code = isCommit ? 0 : sqlite3_system_errno(sqliteConnection)
        guard code == 0 else { return [code] }
        var (ofFile, ofLog): (Int32, Int32) = (0, 0)
        sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_LAST_ERRNO, &ofFile)
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(sqliteConnection, nil, SQLITE_FCNTL_JOURNAL_POINTER, &log)
        _ = log?.pointee.pMethods?.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &ofLog)
        return [ofFile, ofLog]
    }
}
