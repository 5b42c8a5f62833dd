import Dispatch
import GRDB
import Synchronization

/// The connections to one SQLite file: one that writes, some that read, and none that is used once they are closed.
///
/// GRDB alone hands a closed connection to whoever asks for one while the pool is being closed, and that ends the process.
final class ConnectionPool: Sendable {
    private let pool: DatabasePool
    private let isClosed = Mutex(false)
    /// Who uses a connection or is about to.
    private let uses = DispatchGroup()

    init(path: String, configuration: Configuration) throws {
        pool = try DatabasePool(path: path, configuration: configuration)
    }

    /// One consistent view of the file.
    ///
    /// - Throws: ``StoreError/closed``, or what `body` throws; so do the others.
    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try using { try pool.read(body) }
    }

    /// Runs `body` in a transaction on the connection that writes.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try using { try pool.write(body) }
    }

    /// Runs `body` on the connection that writes; it begins and ends its transactions.
    func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try using { try pool.writeWithoutTransaction(body) }
    }

    /// Breaks off what is under way, which fails then (SQLite's `sqlite3_interrupt`).
    func interrupt() {
        // Of closed ones nothing is under way.
        try? using { pool.interrupt() }
    }

    /// Closes all connections, behind what is under way.
    func close() {
        isClosed.withLock { $0 = true }
        uses.wait()
        // What cannot be closed is gone with the process; whatever counts is committed.
        try? pool.close()
    }

    private func using<Result>(_ work: () throws -> Result) throws -> Result {
        let isAdmitted = isClosed.withLock { isClosed in
            if !isClosed { uses.enter() }
            return !isClosed
        }
        guard isAdmitted else { throw StoreError.closed }
        defer { uses.leave() }
        return try work()
    }
}
