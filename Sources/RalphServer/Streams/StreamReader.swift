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
    /// The same from memory, in bytes.
    private static let maximumBytes = 1 << 20
    /// Archived events whose times are looked at one by one, at once and in all.
    private static let stride: Int64 = 256
    private static let maximumLookedAt: Int64 = 4096
    /// Archived events that are looked at first for one that tells its time.
    private static let probedEvents: Int64 = 16

    let feed: EventFeed
    let archive: EventArchive

    /// What follows `cursor`; nothing where that takes files of Ralph's and they may not be read here.
    func read(
        _ source: StreamOptions.Source, after cursor: Int64, withFiles mayReadFiles: Bool = true
    ) throws(StoreError) -> ReplayChunk {
        switch source {
        case .session(let id): try readSession(id, after: cursor, withFiles: mayReadFiles)
        case .all: try readAll(after: cursor)
        }
    }

    /// Nothing but the cursor that `start` means, and a gap where that cannot be told exactly.
    ///
    /// - Parameter isWanted: asked between reads; once it says no, what is given means nothing.
    func start(
        _ source: StreamOptions.Source, _ start: Start, while isWanted: () -> Bool = { true }
    ) throws(StoreError) -> ReplayChunk {
        switch start {
        case .time(let time):
            switch source {
            case .session(let id): try self.start(id, after: time, while: isWanted)
            case .all: try startOfAll(after: time, while: isWanted)
            }
        case .event(let id, let seq): try self.start(behind: seq, of: id)
        case .newest(let count): ReplayChunk(through: try feed.globalCursor(ofNewest: count))
        }
    }

    /// The global id of event `seq` of `id`, or one before it; where nothing tells, everything from the oldest event on.
    private func start(behind seq: Int64, of id: SessionID) throws(StoreError) -> ReplayChunk {
        guard let head = feed.head(of: id), seq > 0, seq <= head.last else {
            var chunk = ReplayChunk(through: 0)
            chunk.pieces = [.gap(.unknownCursor(before: 0))]
            return chunk
        }
        if let block = try feed.event(seq, of: id) { return ReplayChunk(through: block.firstGlobalID) }
        if let known = try feed.globalID(of: seq, in: id) { return ReplayChunk(through: known) }
        // Where not even the first event of all has left its ring, reading on tells what is missing.
        var chunk = ReplayChunk(through: try firstKnownOfAll() - 1)
        if chunk.through > 0 {
            chunk.pieces = [.gap(StreamGap(from: 1, to: chunk.through, reason: .retention))]
        }
        return chunk
    }

    /// The global id of the oldest event that is kept or in memory.
    private func firstKnownOfAll() throws(StoreError) -> Int64 {
        try known(after: 0).first?.firstGlobalID ?? 1
    }

    /// Nothing but the cursor just before the first event of `id` later than `time`, milliseconds since 1970: among those
    /// that are kept or in memory, and only before them among what Ralph's files tell.
    private func start(
        _ id: SessionID, after time: Int64, while isWanted: () -> Bool
    ) throws(StoreError) -> ReplayChunk {
        let oldest = oldestKnown(of: id)
        var chunk = ReplayChunk(through: oldest - 1)
        if try hasArchivedLater(than: time, in: id, before: oldest) {
            try goBack(from: &chunk, in: id, to: time)
            return chunk
        }
        while isWanted() {
            let slices = try known(of: id, after: chunk.through)
            guard !slices.isEmpty else { return chunk }
            for slice in slices {
                for (index, entry) in slice.block.entries[slice.range].enumerated() {
                    if entry.timestamp > time {
                        if chunk.through == oldest - 1 { try goBack(from: &chunk, in: id, to: time) }
                        return chunk
                    }
                    chunk.through = slice.firstSeq + Int64(index)
                }
            }
        }
        return chunk
    }

    /// The number from which on every event of `id` is kept or in memory, which may reach far behind the ring.
    private func oldestKnown(of id: SessionID) -> Int64 {
        let kept = max(1, feed.head(of: id)?.firstKept ?? 1)
        switch feed.recent(id, after: 0, limitBytes: 1) {
        case .blocks: return 1
        case .older(let oldest): return min(kept, oldest)
        case .caughtUp: return kept
        }
    }

    /// What follows `cursor` of `id`, from memory if that reaches so far back, else of what is kept.
    private func known(of id: SessionID, after cursor: Int64) throws(StoreError) -> [BlockSlice] {
        switch feed.recent(id, after: cursor, limitBytes: Self.maximumBytes) {
        case .caughtUp: return []
        case .blocks(let slices): return slices
        case .older:
            let kept = try feed.stored(id, after: cursor, limit: Self.maximumEvents)
            return kept.map { BlockSlice(block: $0, range: 0..<$0.count) }
        }
    }

    /// The same of all sessions, of which only what is kept, or in memory, is looked at: where some of what is missing
    /// before that may be later, too, a gap says so.
    private func startOfAll(after time: Int64, while isWanted: () -> Bool) throws(StoreError) -> ReplayChunk {
        var chunk = ReplayChunk(through: 0)
        var missing: (from: Int64, to: Int64)?
        search: while isWanted() {
            let slices = try known(after: chunk.through)
            guard !slices.isEmpty else { break }
            for slice in slices {
                if slice.firstGlobalID > chunk.through + 1 {
                    missing = (missing?.from ?? chunk.through + 1, slice.firstGlobalID - 1)
                    chunk.through = slice.firstGlobalID - 1
                }
                for entry in slice.block.entries[slice.range] {
                    if entry.timestamp > time { break search }
                    chunk.through = entry.globalID
                }
            }
        }
        if let missing, try hasLost(laterThan: time) {
            chunk.pieces = [.gap(StreamGap(from: missing.from, to: missing.to, reason: .retention))]
        }
        return chunk
    }

    /// What follows `cursor` of all sessions: of what is kept, and from where memory has everything on, from there.
    private func known(after cursor: Int64) throws(StoreError) -> [BlockSlice] {
        switch feed.recentGlobal(after: cursor, limitBytes: Self.maximumBytes) {
        case .caughtUp: return []
        case .blocks(let slices): return slices
        case .older(let oldest):
            let kept = try feed.storedGlobal(after: cursor, limit: Self.maximumEvents)
            let older = kept.compactMap { block -> BlockSlice? in
                let count = block.entries.count { $0.globalID < oldest }
                return count > 0 ? BlockSlice(block: block, range: 0..<count) : nil
            }
            guard older.isEmpty, !kept.isEmpty else { return older }
            // It may have made room meanwhile: then what is kept is all that there is.
            guard
                case .blocks(let slices) = feed.recentGlobal(after: oldest - 1, limitBytes: Self.maximumBytes)
            else { return kept.map { BlockSlice(block: $0, range: 0..<$0.count) } }
            return slices
        }
    }

    /// Whether events that have left their rings, and memory, may be later than `time`: those of a session are taken to be
    /// older than what there is of it.
    private func hasLost(laterThan time: Int64) throws(StoreError) -> Bool {
        for (id, oldest) in feed.oldestBeyondRing {
            if case .blocks(let slices) = feed.recent(id, after: oldest - 1, limitBytes: 1),
                let first = slices.first
            {
                if first.block.entries[first.range.lowerBound].timestamp > time { return true }
            } else if let first = try feed.stored(id, after: oldest - 1, limit: 1).first,
                first.entries[0].timestamp > time
            {
                return true
            }
        }
        return false
    }

    /// Whether one of the last events before `oldest` is later than `time`: that one may be dated before them.
    private func hasArchivedLater(
        than time: Int64, in id: SessionID, before oldest: Int64
    ) throws(StoreError) -> Bool {
        guard oldest > 1 else { return false }
        let from = max(1, oldest - Self.probedEvents)
        // Without it what is kept tells alone.
        let probed = try unlessUnwritable { () throws(StoreError) in
            try archive.read(id, from: from, through: oldest - 1)
        }
        return (probed?.pieces ?? []).contains {
            guard case .events(let slice) = $0 else { return false }
            return slice.block.entries[slice.range].contains { $0.timestamp > time }
        }
    }

    /// Looks for the start in what is neither kept nor in memory.
    private func goBack(
        from chunk: inout ReplayChunk, in id: SessionID, to time: Int64
    ) throws(StoreError) {
        let last = chunk.through
        guard last > 0 else { return }
        let start = try unlessUnwritable { () throws(StoreError) in
            try archived(id, through: last, upTo: time)
        }
        if let start {
            chunk.through = start
        } else {
            // Files may hold them.
            chunk.pieces = [.gap(StreamGap(from: 1, to: last, reason: .fileUnreadable))]
        }
    }

    /// What `find` gives; `nil` where the store cannot be written, as on a full disk, and so may not tell the places in files:
    /// what is kept can be read.
    private func unlessUnwritable<Found>(
        _ find: () throws(StoreError) -> Found
    ) throws(StoreError) -> Found? {
        do throws(StoreError) {
            return try find()
        } catch {
            switch error {
            case .diskFull, .unwritable: return nil
            default: throw error
            }
        }
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

    private func readSession(
        _ id: SessionID, after cursor: Int64, withFiles mayReadFiles: Bool
    ) throws(StoreError) -> ReplayChunk {
        var chunk = ReplayChunk(through: cursor)
        guard let head = feed.head(of: id), head.last > cursor else { return chunk }
        // Up to where other streams begin to read as well.
        let end = SharedPieces.gridEnd(after: cursor + Int64(Self.maximumEvents) - SharedPieces.grid)
        if cursor + 1 < head.firstKept {
            // Memory may reach far behind the ring, and has what no file of Ralph's does.
            switch feed.recent(id, after: cursor, limitBytes: Self.maximumBytes) {
            case .caughtUp: return chunk
            case .blocks(let slices):
                chunk.pieces = slices.map { .events($0) }
                chunk.through = slices.last?.lastSeq ?? cursor
                return chunk
            case .older(let oldest):
                // The ring moved on since that was planned. Of a session that nobody finds no file is read anyway.
                guard mayReadFiles || archive.catalogue.entry(id) == nil else { return chunk }
                let last = min(head.firstKept, oldest) - 1
                return try archive.read(id, from: cursor + 1, through: min(last, end))
            }
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
        for slice in try known(after: cursor) {
            if slice.firstGlobalID > chunk.through + 1 {
                chunk.pieces.append(
                    .gap(StreamGap(from: chunk.through + 1, to: slice.firstGlobalID - 1, reason: .retention)))
            }
            chunk.pieces.append(.events(slice))
            chunk.through = slice.lastGlobalID
        }
        return chunk
    }
}
