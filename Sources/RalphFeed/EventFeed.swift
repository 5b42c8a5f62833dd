import Foundation
package import Logging
package import RalphWire
import Synchronization

/// The ordered record of every session's events, and the way to follow it.
///
/// Records first and publishes second: nobody sees an event that a crash could still lose. A subscription is
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
    let checkpointer: WALCheckpointer
    private let recorder: AppendRecorder
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
        do throws(StoreError) {
            store = try EventStore(configuration, logger: logger)
            let checkpointer = try WALCheckpointer(
                path: configuration.path, cap: configuration.walCapBytes, logger: logger)
            self.checkpointer = checkpointer
            var heads: [SessionID: FeedHead] = [:]
            do throws(StoreError) {
                recorder = try AppendRecorder(
                    store: store, configuration: configuration, checkpointer: checkpointer, logger: logger,
                    heads: &heads)
            } catch {
                checkpointer.stop()
                throw error
            }
            memory = OrderedMutex(
                MemoryTail(
                    capacity: configuration.memoryBytes, heads: heads, globalHead: recorder.storedThrough))
            ledger = ControlLedger(store: store, checkpointer: checkpointer)
        } catch {
            lock.release()
            throw error
        }
        remember(recorder.waitingAppends)
        try recorder.start()
    }

    deinit { close() }

    /// Records `appends`, all or none, then publishes them: memory first, then every sink.
    ///
    /// Synchronous; for the one ingest thread.
    /// - Parameter remembered: called once the heads tell of `appends`, and before any sink does; not where there are none.
    /// - Throws: ``StoreError/diskFull(path:)``, ``StoreError/unwritable(path:reason:)``,
    ///   ``StoreError/corrupt(path:reason:)``, ``StoreError/closed``, ``StoreError/failed(path:reason:)``.
    ///   Nothing is recorded, numbered or published then, and the same call may be repeated.
    package func append(_ appends: [SessionAppend], remembered: () -> Void = {}) throws(StoreError) {
        guard !appends.isEmpty else { return }
        let numbered = memory.withLock { $0.number(appends, ring: store.ring) }
        try recorder.record(numbered)
        let blocks = remember(numbered)
        remembered()
        publish(blocks)
    }

    /// Why what is recorded could not be written into the tables at the last try; `nil`: it could.
    package var problem: StoreError? { recorder.problem }

    /// What is recorded of `id`; `nil`: nothing.
    package func saved(_ id: SessionID) throws(StoreError) -> SavedSession? {
        // Whoever is new need not wait for what is being stored of others.
        guard head(of: id) != nil else { return nil }
        return try recorder.saved(id)
    }

    /// How far the record of `id` reaches; `nil`: there is none. Memory only.
    package func head(of id: SessionID) -> FeedHead? { memory.withLock { $0.head(of: id) } }

    /// Of the sessions of which events have left the ring and memory: the oldest number that one of them has. Memory only.
    package var oldestBeyondRing: [SessionID: Int64] { memory.withLock(\.oldestBeyondRing) }

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

    /// The oldest kept events of `id` behind `seq`, at most `limit`, oldest first, from the tables; from memory what
    /// could not be written into them. Fewer than there are if they are large: an event or more, and no further one
    /// behind a mebibyte.
    ///
    /// The first one may be later than `seq` + 1: what is between has left the ring.
    package func stored(_ id: SessionID, after seq: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        if seq >= memory.withLock({ $0.oldestSeq(of: id) }) - Int64(limit) { settle() }
        return try completing(after: seq, limit: limit, last: \.lastSeq) { () throws(StoreError) in
            try store.stored(id, after: seq, limit: limit)
        } recent: { cursor, bytes in
            recent(id, after: cursor, limitBytes: bytes)
        }
    }

    /// Event `seq` of `id` as a block of its own, from memory if it is there, else from the tables; `nil`: there is none, or
    /// it has left the ring.
    package func event(_ seq: Int64, of id: SessionID) throws(StoreError) -> EventBlock? {
        guard let head = head(of: id), (head.firstKept...max(head.firstKept, head.last)).contains(seq) else {
            return nil
        }
        if case .blocks(let slices) = recent(id, after: seq - 1, limitBytes: 1), let slice = slices.first {
            return EventBlock(of: slice, limit: 1)
        }
        let block = try stored(id, after: seq - 1, limit: 1).first
        return block?.firstSeq == seq ? block : nil
    }

    /// The global id of event `seq` of `id`, also where it has left the ring: exact as long as memory has it, or the tables
    /// tell its stretch; else, they tell an id before it. `nil`: they tell nothing of it.
    package func globalID(of seq: Int64, in id: SessionID) throws(StoreError) -> Int64? {
        if case .blocks(let slices) = recent(id, after: seq - 1, limitBytes: 1), let first = slices.first {
            return first.firstGlobalID
        }
        settle()
        return try store.globalID(of: seq, in: id)
    }

    /// The oldest kept events of all sessions behind `globalID`, at most `limit`, in the order of their global
    /// ids, like ``stored(_:after:limit:)``. Ids that are missing have left their session's ring.
    package func storedGlobal(after globalID: Int64, limit: Int) throws(StoreError) -> [EventBlock] {
        if globalID >= memory.withLock(\.oldestGlobalID) - Int64(limit) { settle() }
        return try completing(after: globalID, limit: limit, last: \.lastGlobalID) { () throws(StoreError) in
            try store.storedGlobal(after: globalID, limit: limit)
        } recent: { cursor, bytes in
            recentGlobal(after: cursor, limitBytes: bytes)
        }
    }

    /// The global id behind which the newest `count` events come that memory has or the rings keep. Where there are
    /// fewer of them, what is missing first may be behind it.
    package func globalCursor(ofNewest count: Int64) throws(StoreError) -> Int64 {
        // Memory leaves none out, and what it has not is in the tables.
        let recent = memory.withLock { memory in
            let start = max(0, memory.globalHead - count)
            return start >= memory.oldestGlobalID - 1 ? start : nil
        }
        if let recent { return recent }
        settle()
        let (oldest, head, seqs) = memory.withLock { ($0.oldestGlobalID, $0.globalHead, $0.oldestSeqs) }
        let start = max(0, head - count)
        guard start < oldest - 1 else { return start }
        let kept = try store.globalCursor(
            ofNewest: count - (head + 1 - oldest), below: oldest, before: seqs)
        return min(kept ?? start, start)
    }

    /// What `stored` gives, and behind it, up to `limit` events, what only memory has.
    private func completing(
        after cursor: Int64, limit: Int, last: (EventBlock) -> Int64,
        stored: () throws(StoreError) -> [EventBlock],
        recent: (_ cursor: Int64, _ limitBytes: Int) -> RecentEvents
    ) throws(StoreError) -> [EventBlock] {
        var blocks = try stored()
        var room = limit - blocks.reduce(0) { $0 + $1.count }
        let bytes = StoredRows.maximumBytes - blocks.reduce(0) { $0 + $1.bytes.count }
        let reached = blocks.last.map(last) ?? cursor
        guard room > 0, bytes > 0, case .blocks(let slices) = recent(reached, bytes) else { return blocks }
        for slice in slices where room > 0 {
            let block = EventBlock(of: slice, limit: room)
            blocks.append(block)
            room -= block.count
        }
        return blocks
    }

    /// Where the events `from ... through` of `id` lie in Ralph's own files, oldest first.
    package func archiveSegments(
        _ id: SessionID, from: Int64, through: Int64
    ) throws(StoreError) -> [ArchiveSegment] {
        // Half an answer would be taken for a gap.
        try recorder.settle()
        return try store.archiveSegments(id, from: from, through: through)
    }

    /// Where the first numbered event of each of Ralph's own files of `id` lies that is not gone for good: segments of one
    /// event, by file, without iteration and hat.
    package func archiveBeginnings(_ id: SessionID) throws(StoreError) -> [ArchiveSegment] {
        try recorder.settle()
        return try store.archiveBeginnings(id)
    }

    /// The figures of `id` of all days.
    package func figures(of id: SessionID) throws(StoreError) -> FigureDays {
        settle()
        return try store.figures(of: id)
    }

    /// The figures of every session that has any in `days` (since 1970), and since when what goes on in it goes
    /// on; one consistent view.
    package func figures(in days: ClosedRange<Int64>) throws(StoreError) -> [SessionID: FigureDays] {
        settle()
        return try store.figures(in: days)
    }

    /// Lets `sink` have every block from the next append on; it is kept as long as the feed.
    package func addSink(_ sink: any BlockSink) { sinks.withLock { $0.append(sink) } }

    /// Returns when no sink is behind, at the latest after `limit` for each; for the thread that appends.
    package func waitForSinks(atMost limit: Duration) {
        for sink in sinks.withLock(\.self) { sink.waitUntilTaken(atMost: limit) }
    }

    /// Ends the checkpoints, closes the store and gives the right to it back; the second call does nothing.
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        recorder.stop()
        checkpointer.stop()
        store.closeConnections()
        lock.release()
    }

    /// Has the tables hold what was recorded, for whoever reads them.
    func settle() {
        // Where they cannot be written, what they have is still to be read.
        try? recorder.settle()
    }

    /// Gives the sinks what memory has.
    private func publish(_ blocks: [EventBlock]) {
        if !blocks.isEmpty {
            for sink in sinks.withLock(\.self) { sink.deliver(blocks) }
        }
        // Behind the sinks: nobody waits for that. What is taken out is let go without the lock.
        _ = memory.withLock { $0.takeOldest(storedThrough: recorder.storedThrough) }
    }

    /// Makes the blocks of what was recorded, and gives them to memory.
    @discardableResult
    private func remember(_ appends: [NumberedAppend]) -> [EventBlock] {
        var blocks: [EventBlock] = []
        for append in appends {
            blocks += EventBlock.blocks(
                of: append.append.batch, session: append.append.id, firstSeq: append.firstSeq,
                globalIDs: { append.firstGlobalID + Int64($0) })
        }
        let heads = appends.map { ($0.append.id, $0.head) }
        memory.withLock { $0.insert(blocks, heads: heads) }
        return blocks
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
