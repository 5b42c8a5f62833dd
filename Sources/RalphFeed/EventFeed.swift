import Foundation
package import Logging
package import RalphWire
import Synchronization

/// The ordered record of every session's events, and the way to follow it.
///
/// Stores first and publishes second: nobody sees an event that a crash could still lose. A subscription is
/// a cursor: it asks ``recent(_:after:limitBytes:)``, then ``stored(_:after:limit:)`` if memory does not reach
/// back far enough, and waits for a sink's call when it has caught up.
package final class EventFeed: Sendable {
    /// 8 hexadecimal digits, random, made with the store: numbers of another epoch mean nothing here.
    package var epoch: String { store.epoch }

    /// How many of the newest events of each session are kept.
    package var ring: Int { store.ring }

    /// What control remembers, in the same file; closed with the feed.
    package let ledger: ControlLedger

    private let store: EventStore
    private let lock: StoreLock
    private let checkpointer: WALCheckpointer
    /// Held for a whole append; only the ingest thread takes it, so nobody waits for the disk on it.
    private let writer: OrderedMutex<StoreWriter>
    private let memory: OrderedMutex<MemoryTail>
    private let sinks = OrderedMutex<[any BlockSink]>([])
    private let isClosed = Atomic(false)

    /// Opens the store, makes it if it is missing; a damaged one is moved aside and a new one begins.
    ///
    /// - Throws: ``StoreError/inUse(path:pid:)`` while another feed has it, ``StoreError/unwritable(path:reason:)``,
    ///   ``StoreError/newerSchema(path:)``, ``StoreError/invalidConfiguration(_:)``, ``StoreError/diskFull(path:)``.
    package init(_ configuration: FeedConfiguration, logger: Logger) throws(StoreError) {
        guard FeedConfiguration.ringBounds.contains(configuration.ring) else {
            let bounds = FeedConfiguration.ringBounds
            throw .invalidConfiguration(
                "The ring is \(configuration.ring); it must be \(bounds.lowerBound) to \(bounds.upperBound).")
        }
        try Self.makeDirectory(of: configuration.path)
        lock = try StoreLock(store: configuration.path)
        do {
            store = try EventStore(configuration, logger: logger)
            let known = try store.knownSessions()
            let heads = Dictionary(uniqueKeysWithValues: known.map { ($0.id, $0.head) })
            let globalHead = known.map(\.head.lastGlobalID).max() ?? 0
            writer = OrderedMutex(StoreWriter(configuration: configuration, known: known))
            memory = OrderedMutex(
                MemoryTail(capacity: configuration.memoryBytes, heads: heads, globalHead: globalHead))
            checkpointer = try WALCheckpointer(
                path: configuration.path, cap: configuration.walCapBytes, logger: logger)
            ledger = ControlLedger(store: store, checkpointer: checkpointer)
        } catch {
            lock.release()
            throw error
        }
    }

    deinit { close() }

    /// Stores `appends` in one transaction, then publishes them: memory first, then every sink.
    ///
    /// Synchronous; for the one ingest thread.
    /// - Throws: ``StoreError/diskFull(path:)``, ``StoreError/unwritable(path:reason:)``,
    ///   ``StoreError/corrupt(path:reason:)``, ``StoreError/closed``, ``StoreError/failed(path:reason:)``.
    ///   Nothing is stored, numbered or published then, and the same call may be repeated.
    package func append(_ appends: [SessionAppend]) throws(StoreError) {
        guard !appends.isEmpty else { return }
        try writer.withLock { (writer) throws(StoreError) in
            publish(appends, try store.write { db in try writer.write(appends, on: db) })
        }
        let bytes = appends.reduce(0) { $0 + $1.batch.bytes.count }
        checkpointer.noteCommit(bytes: bytes, appends: appends.count)
    }

    /// What the store knows of `id`; `nil`: nothing.
    package func saved(_ id: SessionID) throws(StoreError) -> SavedSession? { try store.saved(id) }

    /// How far the record of `id` reaches; `nil`: there is none. Memory only.
    package func head(of id: SessionID) -> FeedHead? { memory.withLock { $0.head(of: id) } }

    /// The newest global id; 0 before the first event. Memory only.
    package var globalHead: Int64 { memory.withLock(\.globalHead) }

    /// What memory has of `id` behind `seq`, at most `limitBytes` of it but at least one event; never waits
    /// for the disk.
    package func recent(_ id: SessionID, after seq: Int64, limitBytes: Int) -> RecentEvents {
        memory.withLock { $0.recent(id, after: seq, limit: limitBytes) }
    }

    /// The same over all sessions; each slice's events follow each other in global id.
    package func recentGlobal(after globalID: Int64, limitBytes: Int) -> RecentEvents {
        memory.withLock { $0.recentGlobal(after: globalID, limit: limitBytes) }
    }

    /// The oldest kept events of `id` behind `seq`, at most `limit`, oldest first, from the store.
    ///
    /// The first one may be later than `seq` + 1: what is between has left the ring.
    package func stored(_ id: SessionID, after seq: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        try store.stored(id, after: seq, limit: limit)
    }

    /// The oldest kept events of all sessions behind `globalID`, at most `limit`, in the order of their global
    /// ids, from the store. Ids that are missing have left their session's ring.
    package func storedGlobal(after globalID: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        try store.storedGlobal(after: globalID, limit: limit)
    }

    /// Where the events `from ... through` of `id` lie in Ralph's own files, oldest first.
    package func archiveSegments(
        _ id: SessionID, from: Int64, through: Int64
    ) throws(StoreError) -> [ArchiveSegment] {
        try store.archiveSegments(id, from: from, through: through)
    }

    /// The figures of `id` of all days.
    package func figures(of id: SessionID) throws(StoreError) -> FigureDays { try store.figures(of: id) }

    /// The figures of every session that has any in `days` (since 1970), and since when what goes on in it goes
    /// on; one consistent view.
    package func figures(in days: ClosedRange<Int64>) throws(StoreError) -> [SessionID: FigureDays] {
        try store.figures(in: days)
    }

    /// Lets `sink` have every block from the next append on; it is kept as long as the feed.
    package func addSink(_ sink: any BlockSink) { sinks.withLock { $0.append(sink) } }

    /// Returns when no sink is behind, at the latest after `limit` for each; for the thread that appends.
    package func waitForSinks(atMost limit: Duration) {
        for sink in sinks.withLock(\.self) { sink.waitUntilTaken(atMost: limit) }
    }

    /// Moves the write-ahead log into the database now, and empties it unless a reader is in the way.
    package func checkpointWAL() { checkpointer.truncate() }

    /// Ends the checkpoints, closes the store and gives the right to it back; the second call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        writer.withLock { _ in
            checkpointer.stop()
            store.closeConnections()
            lock.release()
        }
    }

    /// Makes the blocks of what was stored, and gives them to memory and then to the sinks.
    private func publish(_ appends: [SessionAppend], _ numbered: [StoreWriter.Numbered]) {
        var blocks: [EventBlock] = []
        var heads: [(SessionID, FeedHead)] = []
        for (append, numbers) in zip(appends, numbered) {
            blocks += EventBlock.blocks(
                of: append.batch, session: append.id, firstSeq: numbers.firstSeq,
                globalIDs: { numbers.firstGlobalID + Int64($0) })
            heads.append((append.id, numbers.head))
        }
        memory.withLock { $0.insert(blocks, heads: heads) }
        guard !blocks.isEmpty else { return }
        for sink in sinks.withLock(\.self) { sink.deliver(blocks) }
    }

    private static func makeDirectory(of path: String) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(path: path, reason: "no directory: \(error.localizedDescription)")
        }
    }
}
