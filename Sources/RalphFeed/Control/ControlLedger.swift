import Foundation
import GRDB
package import RalphWire
import Synchronization

/// What control has to remember over a restart: runs, commands, questions, and answers to repeated requests.
///
/// In the feed's file, over its one writing connection: each call is one small transaction, and the ingest
/// thread never waits longer than for one of them. Synchronous; not for event loops. When a call throws,
/// nothing of it is stored, and it may be repeated: ``StoreError/diskFull(path:)``,
/// ``StoreError/unwritable(path:reason:)``, ``StoreError/corrupt(path:reason:)``, ``StoreError/closed``,
/// ``StoreError/failed(path:reason:)``.
package final class ControlLedger: Sendable {
    /// Commands that are kept, newest first.
    package static let maximumCommands: Int64 = 10_000
    /// Questions that are kept once they are closed, newest first; open ones are all kept.
    package static let maximumClosedQuestions = 1000
    /// Requests with an `Idempotency-Key` that are remembered; who has the most loses its oldest to a further one.
    package static let maximumIdempotent: Int64 = 10_000
    /// So many at once at most, so that a full store is not looked through for each further one.
    package static let idempotentBatch: Int64 = 64
    /// How long a request with an `Idempotency-Key` is remembered, milliseconds.
    package static let idempotentLifetime: Int64 = 24 * 3600 * 1000
    /// Of those that are older, at most as many are deleted with each new one.
    package static let forgottenAtOnce = 16
    /// A larger body of an answer is not kept.
    package static let maximumBodyBytes = 1 << 20
    /// Of larger ones than this, those of the newest ``maximumLargeBodies`` answers are kept.
    package static let largeBodyBytes = 64 << 10
    package static let maximumLargeBodies = 64
    /// What earlier versions put in the place of the status of a request that was being carried out when the server ended.
    static let interruptedStatus = 0
    /// The rest of a command's detail is cut off.
    package static let maximumDetailBytes = 4 << 10

    let store: EventStore
    let requests = Mutex(KeyedRequests())
    let unstored = Mutex(UnstoredOutcomes())
    private let checkpointer: WALCheckpointer
    private let trouble = Mutex<StoreError?>(nil)

    init(store: EventStore, checkpointer: WALCheckpointer) {
        self.store = store
        self.checkpointer = checkpointer
    }

    /// Why the last change could not be stored; `nil`: it could.
    package var problem: StoreError? { trouble.withLock { $0 } }

    /// Ends of requests with an `Idempotency-Key` that were neither stored nor remembered.
    package var lostRequestEnds: Int { requests.withLock(\.lostEnds) }

    /// Outcomes of commands that were neither stored nor remembered.
    package var lostOutcomes: Int { unstored.withLock(\.lost) }

    /// Where there is a ``problem``, finds out whether it is over, by a write; not for the ingest thread, as this waits for
    /// the transaction that is being written.
    package func retry() {
        guard problem != nil else { return }
        // What comes of it is noted.
        try? write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO meta (name, value) VALUES ('tried', ?)",
                arguments: [Int64.random(in: 0 ... .max)])
        }
    }

    /// One small transaction.
    ///
    /// - Parameter failed: called when nothing of it is stored, before anybody else writes.
    func write<Result>(
        bytes: Int = 0, failed: () -> Void = {}, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        var result: Result?
        store.otherWrites.wrappingAdd(1, ordering: .relaxed)
        defer { store.otherWrites.wrappingSubtract(1, ordering: .relaxed) }
        do throws(StoreError) {
            try store.write { db in
                var isChange = false
                do {
                    try db.inTransaction(.immediate) {
                        let changes = db.totalChangesCount
                        result = try body(db)
                        isChange = db.totalChangesCount != changes
                        return .commit
                    }
                } catch {
                    failed()
                    throw error
                }
                // A look changes nothing, and shows nothing.
                if isChange { trouble.withLock { $0 = nil } }
                // What could be stored is stored; the next transaction tries these again.
                try? storeEnds(db)
                try? storeOutcomes(db)  // likewise
            }
        } catch {
            trouble.withLock { $0 = error }
            throw error
        }
        checkpointer.noteSmallCommit(bytes: bytes)
        guard let result else { throw .failed(path: store.path, reason: "a transaction gave nothing") }
        return result
    }
}

// MARK: - Runs

extension ControlLedger {
    /// Keeps `value`, which is opaque here, as what is known of the run of `session`, and with it adds to the
    /// figures of the session.
    package func saveRun(
        _ session: SessionID, _ value: [UInt8], figures: FigureDays = FigureDays()
    ) throws(StoreError) {
        try write(bytes: value.count) { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO run (session, value) VALUES (?, ?)",
                arguments: [session.rawValue, Data(value)])
            if !figures.isEmpty { try FigureColumns.add(figures, session: session, on: db) }
        }
    }

    /// All runs that were saved, in the order of their sessions.
    package func runs() throws(StoreError) -> [(session: SessionID, value: [UInt8])] {
        try store.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT session, value FROM run ORDER BY session")
            return rows.compactMap { row in
                SessionID(row["session"] as String).map { ($0, Self.bytes(row["value"])) }
            }
        }
    }

    static func bytes(_ data: Data?) -> [UInt8] { data.map(Array.init) ?? [] }
}
