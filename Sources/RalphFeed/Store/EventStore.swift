import Foundation
import GRDB
import Logging
import RalphWire
import Synchronization

/// The SQLite file behind a feed: opened, brought up to date, and read.
///
/// Write-ahead log, `synchronous=NORMAL`, no checkpoints inside commits: ``WALCheckpointer`` makes them.
final class EventStore: Sendable {
    let path: String
    private let pool: ConnectionPool
    /// How many events of a session the table holds; its rows are slotted by it. What it was before where the disk is
    /// too full for another one.
    let ring: Int
    /// 8 hexadecimal digits, made with the file.
    let epoch: String
    /// The newest command that was on record when the file was opened.
    let newestEarlierCommand: Int64
    /// How many callers want to write what is not of events; meanwhile nobody rests who writes.
    let otherWrites = Atomic(0)
    private let damageMet = Mutex<StoreError?>(nil)
    /// Which file is open; `nil`: it was gone at once.
    private let file: StoreInode?

    /// What the writing connection keeps of the file in memory, in KiB: each session's newest page, of hundreds of
    /// them, and the way to it.
    private static let writerCacheKiB = 8192

    /// Opens the store, makes it if it is missing, and moves it aside and begins anew if it is damaged.
    ///
    /// Whoever calls holds the store's ``StoreLock``.
    init(_ configuration: FeedConfiguration, logger: Logger) throws(StoreError) {
        path = configuration.path
        let opened: Opened
        do {
            opened = try Self.open(configuration)
        } catch .corrupt(_, let reason) {
            let aside = try Self.moveAside(configuration.path)
            logger.error(
                "The event store was damaged; a new one begins",
                metadata: ["store.path": "\(path)", "store.aside": "\(aside)", "reason": "\(reason)"])
            opened = try Self.open(configuration)
        }
        (pool, epoch, ring) = (opened.pool, opened.epoch, opened.ring)
        newestEarlierCommand = opened.newestCommand
        if ring != configuration.ring {
            logger.warning(
                "The disk, or that of temporary files, is too full for another ring; the next start tries again",
                metadata: ["store.path": "\(path)", "ring": "\(ring)", "wanted": "\(configuration.ring)"])
        }
        file = StoreInode(at: configuration.path)
    }

    /// How every connection to a store is set up.
    static func connectionSettings(label: String) -> Configuration {
        var settings = Configuration()
        settings.label = label
        settings.busyMode = .timeout(5)
        settings.maximumReaderCount = 4
        // Transactions are begun and ended by our own statements; a failure to end one must not end the process.
        settings.allowsUnsafeTransactions = true
        settings.prepareDatabase { db in
            // Where a library zeroes all that is freed, short events in the place of long ones would fill the log.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = FAST")
        }
        return settings
    }

    /// The first damage that was met since the file was opened, or that it is not at its path any more; `nil`: neither.
    /// Only the next start mends it.
    var damage: StoreError? {
        if let met = damageMet.withLock({ $0 }) { return met }
        guard let file, StoreInode(at: path) != file else { return nil }
        return .unwritable(path: path, reason: "it was removed or replaced while it is open")
    }

    /// One consistent view of the store.
    func read<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try noting { try pool.read { try $0.tellingFullDisk(body) } }
    }

    /// Runs `body` on the one writing connection; `body` begins and ends its transaction.
    func write<Result>(_ body: (Database) throws -> Result) throws(StoreError) -> Result {
        try noting { try pool.writeWithoutTransaction { try $0.tellingFullDisk(body) } }
    }

    /// Runs `body`; damage that it meets is remembered, and noted beside the file for the next start, unless another one has
    /// its path by now.
    private func noting<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try StoreError.mapping(path, body)
        } catch {
            if case .corrupt = error {
                damageMet.withLock { if $0 == nil { $0 = error } }
                DamageMark(of: path).set(of: file)
            }
            throw error
        }
    }

    /// Closes all connections.
    func closeConnections() { pool.close() }

    private struct Opened {
        let pool: ConnectionPool
        let epoch: String
        let ring: Int
        let newestCommand: Int64
    }

    /// Writes nothing where nothing is to be changed: a server that was killed begins again though the disk is full.
    private static func open(_ configuration: FeedConfiguration) throws(StoreError) -> Opened {
        let mark = DamageMark(of: configuration.path)
        guard !mark.isSet else {
            throw .corrupt(path: configuration.path, reason: "it was found damaged at the last run")
        }
        // One that is there is of another file, whose place this one has taken.
        mark.remove()
        if let reason = loss(configuration.path) { throw .corrupt(path: configuration.path, reason: reason) }
        try makeFile(configuration.path)
        return try StoreError.mapping(configuration.path) {
            let pool = try ConnectionPool(
                path: configuration.path, configuration: connectionSettings(label: "event-store"))
            let ring = try pool.writeWithoutTransaction { db in
                try db.tellingFullDisk { try migrate($0, path: configuration.path) }
                try db.execute(sql: "PRAGMA cache_size = -\(writerCacheKiB)")
                let ring = try resize(to: configuration.ring, db)
                // What a statement for many rows would put back if it failed: a file of its own needs a place and a
                // descriptor. Not before, as a change of the ring copies all events.
                try db.execute(sql: "PRAGMA temp_store = MEMORY")
                return ring
            }
            return try pool.read { db in
                guard let epoch = try String.fetchOne(db, sql: "SELECT value FROM meta WHERE name = 'epoch'")
                else { throw StoreError.corrupt(path: configuration.path, reason: "it has no epoch") }
                let newest = try Int64.fetchOne(db, sql: "SELECT max(id) FROM command") ?? 0
                return Opened(pool: pool, epoch: epoch, ring: ring, newestCommand: newest)
            }
        }
    }

    /// What became of the file at `path` where only its companions tell that it was there; `nil`: it is, or never was.
    static func loss(_ path: String) -> String? {
        var status = stat()
        let exists = stat(path, &status) == 0
        // SQLite takes a file of one byte for an empty one.
        guard exists ? status.st_size <= 1 : errno == ENOENT else { return nil }
        let hasJournal = access(path + AppendRecorder.journalSuffix, F_OK) == 0
        guard hasJournal || (stat(path + "-wal", &status) == 0 && status.st_size > 0) else { return nil }
        return "it is \(exists ? "empty" : "gone"), and its \(hasJournal ? "journal" : "log") is still there"
    }

    /// Makes the file with mode 0600, or takes away what others may do with it.
    private static func makeFile(_ path: String) throws(StoreError) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// Renames the file and its companions, and gives the new name.
    private static func moveAside(_ path: String) throws(StoreError) -> String {
        let aside = "\(path).corrupt-\(WallClock.milliseconds())"
        for suffix in ["", "-wal", "-shm", AppendRecorder.journalSuffix, DamageMark.suffix] {
            guard rename(path + suffix, aside + suffix) == 0 || errno == ENOENT else {
                throw .unwritable(path: path, reason: String(cString: strerror(errno)))
            }
        }
        // Two names of a file would keep its room when one is removed. A mark without its file may be all that is left of it.
        if StoreInode(at: aside) != nil { DamageMark(of: aside).remove() }
        return aside
    }
}
