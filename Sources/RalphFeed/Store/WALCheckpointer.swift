import Foundation
import GRDB
import Logging
import Synchronization

/// Moves the write-ahead log into the database file, on a connection and a thread of its own, so that no
/// commit waits for it (sqlite.org/wal.html).
///
/// While commits come: PASSIVE whenever the log has grown by ``stride``, which holds nobody up. When it has half of
/// its cap, the thread that commits then moves the little that came meanwhile (RESTART), so that the log begins anew
/// instead of growing; that waits for the disk, and so is rare.
/// A second without a commit: PASSIVE as well; three seconds: TRUNCATE. Not more often, because the first commit
/// after a complete checkpoint syncs the log's head. A log near its cap all the same (a reader kept it): TRUNCATE
/// on the thread that commits, between two transactions; it waits then.
final class WALCheckpointer: Sendable {
    private static let period = Duration.milliseconds(200)
    /// After how many periods without a commit the log is moved, however short it is.
    private static let movePeriods = 5
    /// After how many periods without a commit the log is emptied.
    private static let idlePeriods = 15
    /// How much the log grows before it is moved, in bytes, roughly.
    private static let stride = 24 << 20
    /// A page of the log with its head (sqlite.org/fileformat2.html, 4.1).
    private static let frameBytes = 4096 + 24

    private let path: String
    private let cap: Int
    private let logger: Logger
    private let connection: DatabaseQueue
    /// Something was committed since the thread looked last, or the log was last to be emptied.
    private let isDirty = Atomic(false)
    /// An upper estimate of what the log grew by since its size was looked at, in bytes.
    private let growth = Atomic(0)
    /// The same since the last checkpoint.
    private let unmoved = Atomic(0)
    /// A PASSIVE checkpoint has just moved nearly everything.
    private let isMoved = Atomic(false)
    private let bell = WorkerBell()
    private let finished = DispatchSemaphore(value: 0)

    init(path: String, cap: Int, logger: Logger) throws(StoreError) {
        self.path = path
        self.cap = cap
        self.logger = logger
        var settings = EventStore.connectionSettings(label: "event-store-checkpoints")
        settings.busyMode = .timeout(0.1)
        connection = try StoreError.mapping(path) {
            try DatabaseQueue(path: path, configuration: settings)
        }
        do throws(ThreadError) {
            try NamedThread.start("checkpoints") { [self] in run() }
        } catch {
            throw .failed(path: path, reason: error.reason)
        }
    }

    /// The size of the log's file in bytes.
    var logSize: Int {
        var status = stat()
        return stat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// To be called after each commit of events, outside of a transaction.
    func noteCommit(bytes: Int, sessions: Int) {
        isDirty.store(true, ordering: .sequentiallyConsistent)
        bell.ring()
        // Beside the events' own bytes, each session changes a handful of pages of 4096 bytes.
        let added = bytes + bytes / 2 + sessions * 20_480
        unmoved.wrappingAdd(added, ordering: .relaxed)
        if isMoved.exchange(false, ordering: .acquiringAndReleasing) { checkpoint(.restart) }
        let grown = growth.wrappingAdd(added, ordering: .relaxed).newValue
        guard grown > cap / 16 else { return }
        growth.store(0, ordering: .relaxed)
        if logSize > cap / 4 * 3 { truncate() }
    }

    /// To be called after each commit by any other thread; never waits.
    func noteSmallCommit(bytes: Int) {
        isDirty.store(true, ordering: .sequentiallyConsistent)
        bell.ring()
        let added = bytes + 20_480
        unmoved.wrappingAdd(added, ordering: .relaxed)
        growth.wrappingAdd(added, ordering: .relaxed)
    }

    /// Empties the log; a reader of an old state can prevent it, then the next call tries again.
    func truncate() {
        isDirty.store(false, ordering: .releasing)
        checkpoint(.truncate)
    }

    /// Ends the thread, empties the log and closes the connection.
    func stop() {
        if !bell.stop() { finished.wait() }
        truncate()
        // The connection is gone with the process at the latest; everything is committed.
        try? connection.close()
    }

    private func run() {
        BackgroundThread.enter(niceness: 10, logger: logger)
        var idle = 0
        while !bell.isStopping {
            if idle > Self.idlePeriods {
                bell.sleep { isDirty.load(ordering: .sequentiallyConsistent) }
                idle = 0
            }
            bell.pause(Self.period)
            guard !bell.isStopping else { break }
            if isDirty.exchange(false, ordering: .acquiringAndReleasing) {
                idle = 0
                if unmoved.load(ordering: .relaxed) >= Self.stride {
                    // The file keeps the size that the log once had; how much is in it, the checkpoint tells.
                    if checkpoint(.passive) > cap / 2 { isMoved.store(true, ordering: .releasing) }
                }
            } else {
                idle += 1
                if idle == Self.movePeriods { checkpoint(.passive) }
                if idle == Self.idlePeriods { checkpoint(.truncate) }
            }
        }
        finished.signal()
    }

    /// Moves what can be moved; gives the bytes of the log since it last began, 0 if that failed.
    @discardableResult
    private func checkpoint(_ mode: Database.CheckpointMode) -> Int {
        unmoved.store(0, ordering: .relaxed)
        do {
            return try connection.inDatabase { db in try db.checkpoint(mode).walFrameCount * Self.frameBytes }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            logger.trace("A checkpoint has to wait", metadata: ["store.path": "\(path)"])
        } catch {
            logger.warning(
                "A checkpoint of the event store failed",
                metadata: ["store.path": "\(path)", "error": "\(error)"])
        }
        return 0
    }
}
