import Logging
import RalphFeed
import RalphSessions
import RalphWire

/// Reads what memory no longer holds: SQLite, and behind the ring Ralph's own files (design 3.5, 4).
///
/// Everything here blocks; it runs on the reader threads, at most one read per stream at a time.
struct StreamReader: Sendable {
    /// Where a stream is to start, as far as only the store tells its cursor.
    enum Start: Sendable, Equatable {
        /// Behind a point in time, milliseconds since 1970.
        case time(Int64)
        /// Behind an event of one of all sessions.
        case event(SessionID, seq: Int64)
        /// Before so many of the newest events of all sessions, not counting what has left the rings.
        case newest(Int64)
    }

    /// Events in one read.
    static let maximumEvents = 1024
    /// Archived events whose times are looked at one by one, at once and in all.
    private static let stride: Int64 = 256
    private static let maximumLookedAt: Int64 = 4096
    /// Archived events that are looked at first for one that tells its time.
    private static let probedEvents: Int64 = 16

    let feed: EventFeed
    let archive: EventArchive

    /// What follows `cursor`.
    func read(_ source: StreamOptions.Source, after cursor: Int64) throws(StoreError) -> ReplayChunk {
        switch source {
        case .session(let id): try readSession(id, after: cursor)
        case .all: try readAll(after: cursor)
        }
    }

    /// Nothing but the cursor that `start` means, and a gap where that cannot be told exactly.
    func start(_ source: StreamOptions.Source, _ start: Start) throws(StoreError) -> ReplayChunk {
        switch start {
        case .time(let time): try self.start(source, after: time)
        case .event(let id, let seq): try self.start(behind: seq, of: id)
        case .newest(let count): ReplayChunk(through: try feed.globalCursor(ofNewest: count))
        }
    }

    /// The global id of event `seq` of `id`; where that is not known, or has left the ring, everything from the
    /// oldest event on.
    private func start(behind seq: Int64, of id: SessionID) throws(StoreError) -> ReplayChunk {
        guard let head = feed.head(of: id), seq > 0, seq <= head.last else {
            var chunk = ReplayChunk(through: 0)
            chunk.pieces = [.gap(.unknownCursor(before: 0))]
            return chunk
        }
        if let block = try feed.event(seq, of: id) { return ReplayChunk(through: block.firstGlobalID) }
        // Where not even the first event of all has left its ring, reading on tells what is missing.
        var chunk = ReplayChunk(through: try firstKept(.all) - 1)
        if chunk.through > 0 {
            chunk.pieces = [.gap(StreamGap(from: 1, to: chunk.through, reason: .retention))]
        }
        return chunk
    }

    /// Nothing but the cursor just before the first event later than `time`, milliseconds since 1970. Of all
    /// sessions only kept events are looked at: where already the oldest is later, a gap says that older ones may
    /// be meant too.
    private func start(_ source: StreamOptions.Source, after time: Int64) throws(StoreError) -> ReplayChunk {
        let oldest = try firstKept(source)
        var chunk = ReplayChunk(through: oldest - 1)
        if hasArchivedLater(than: time, in: source, before: oldest) {
            goBack(from: &chunk, in: source, to: time)
            return chunk
        }
        while true {
            let blocks = try stored(source, after: chunk.through)
            guard !blocks.isEmpty else { return chunk }
            for block in blocks {
                for (index, entry) in block.entries.enumerated() {
                    if entry.timestamp > time {
                        if chunk.through == oldest - 1 { goBack(from: &chunk, in: source, to: time) }
                        return chunk
                    }
                    chunk.through = source == .all ? entry.globalID : block.firstSeq + Int64(index)
                }
            }
        }
    }

    /// Whether one of the last events that have left the ring is later than `time`: the oldest that is kept may be dated
    /// before them.
    private func hasArchivedLater(
        than time: Int64, in source: StreamOptions.Source, before oldest: Int64
    ) -> Bool {
        guard case .session(let id) = source, oldest > 1 else { return false }
        let from = max(1, oldest - Self.probedEvents)
        // A store that cannot be written: what is kept can be read, and tells alone.
        let probed = try? archive.read(id, from: from, through: oldest - 1)
        return (probed?.pieces ?? []).contains {
            guard case .events(let slice) = $0 else { return false }
            return slice.block.entries[slice.range].contains { $0.timestamp > time }
        }
    }

    /// Looks for the start in what has left the ring.
    private func goBack(
        from chunk: inout ReplayChunk, in source: StreamOptions.Source, to time: Int64
    ) {
        guard chunk.through > 0 else { return }
        switch source {
        case .session(let id):
            do throws(StoreError) {
                chunk.through = try archived(id, through: chunk.through, upTo: time)
                return
            } catch {
                // A store that cannot be written, as on a full disk: what is kept can be read.
            }
        case .all: break
        }
        chunk.pieces = [.gap(StreamGap(from: 1, to: chunk.through, reason: .retention))]
    }

    /// The number behind which archived events are later than `time`. Their times are taken to ascend; where a file does
    /// not tell any more, or not what was added to them, more is taken rather than less.
    private func archived(
        _ id: SessionID, through last: Int64, upTo time: Int64
    ) throws(StoreError) -> Int64 {
        let shift = ArchiveReader.maximumTimeShift
        let start = try halved(id, through: last, upTo: time - 2 * shift)
        var (low, reached) = (start, start)
        // No event before was told to be later than this.
        var latest = time - shift
        while reached < last, reached - start < Self.maximumLookedAt {
            let chunk = try archive.read(id, from: reached + 1, through: min(last, reached + Self.stride))
            guard chunk.through > reached else { break }
            reached = chunk.through
            for piece in chunk.pieces {
                guard case .events(let slice) = piece else { continue }
                for (index, entry) in slice.block.entries[slice.range].enumerated() {
                    let told = entry.timestamp > latest ? entry.timestamp : latest + 1
                    latest = max(latest, min(told, entry.timestamp + shift))
                    guard latest <= time else { return low }
                    low = slice.firstSeq + Int64(index)
                }
            }
        }
        return low
    }

    /// The same by the times that files tell, found by halving.
    private func halved(
        _ id: SessionID, through last: Int64, upTo time: Int64
    ) throws(StoreError) -> Int64 {
        var low: Int64 = 0
        var high = last
        while low < high {
            let middle = low + (high - low) / 2
            let near = min(middle + Self.probedEvents, high)
            var first = try firstArchived(id, from: middle + 1, through: near)
            if first == nil, near < high { first = try firstArchived(id, from: near + 1, through: high) }
            if let first, first.block.entries[first.range.lowerBound].timestamp <= time {
                low = first.firstSeq
            } else {
                high = middle
            }
        }
        return low
    }

    /// The first of some numbers that a file still tells.
    private func firstArchived(
        _ id: SessionID, from: Int64, through: Int64
    ) throws(StoreError) -> BlockSlice? {
        for piece in try archive.read(id, from: from, through: through).pieces {
            if case .events(let slice) = piece { return slice }
        }
        return nil
    }

    private func stored(_ source: StreamOptions.Source, after cursor: Int64) throws(StoreError)
        -> [EventBlock]
    {
        switch source {
        case .session(let id): try feed.stored(id, after: cursor, limit: Self.maximumEvents)
        case .all: try feed.storedGlobal(after: cursor, limit: Self.maximumEvents)
        }
    }

    private func firstKept(_ source: StreamOptions.Source) throws(StoreError) -> Int64 {
        switch source {
        case .session(let id): max(1, feed.head(of: id)?.firstKept ?? 1)
        case .all: try feed.storedGlobal(after: 0, limit: 1).first?.firstGlobalID ?? 1
        }
    }

    private func readSession(_ id: SessionID, after cursor: Int64) throws(StoreError) -> ReplayChunk {
        var chunk = ReplayChunk(through: cursor)
        guard let head = feed.head(of: id), head.last > cursor else { return chunk }
        // Up to where other streams begin to read as well.
        let end = SharedPieces.gridEnd(after: cursor + Int64(Self.maximumEvents) - SharedPieces.grid)
        if cursor + 1 < head.firstKept {
            return try archive.read(id, from: cursor + 1, through: min(head.firstKept - 1, end))
        }
        for block in try feed.stored(id, after: cursor, limit: Int(end - cursor)) {
            // The ring moved on between the two looks: the next read goes to the archive.
            guard block.firstSeq == chunk.through + 1 else { break }
            chunk.pieces.append(.events(BlockSlice(block: block, range: 0..<block.entries.count)))
            chunk.through += Int64(block.entries.count)
        }
        return chunk
    }

    private func readAll(after cursor: Int64) throws(StoreError) -> ReplayChunk {
        var chunk = ReplayChunk(through: cursor)
        for block in try feed.storedGlobal(after: cursor, limit: Self.maximumEvents) {
            if block.firstGlobalID > chunk.through + 1 {
                chunk.pieces.append(
                    .gap(StreamGap(from: chunk.through + 1, to: block.firstGlobalID - 1, reason: .retention)))
            }
            chunk.pieces.append(.events(BlockSlice(block: block, range: 0..<block.entries.count)))
            chunk.through = block.firstGlobalID + Int64(block.entries.count) - 1
        }
        return chunk
    }
}
