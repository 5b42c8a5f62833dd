import NIOPosix
import RalphFeed
import RalphSessions
import RalphWire

/// Reads pages of a session's past: memory and the ring, behind them the numbered archive, and behind that what lies
/// before first sight (design 4). Blocking reads run on threads of their own.
struct HistoryReader: Sendable {
    /// Events in one page.
    static let limits: ClosedRange<Int64> = 1...1000
    /// A page ends, early if need be, with the event that brings it to so many bytes.
    static let maximumBytes = 2 << 20
    /// Events that are read at once, backwards, where a whole page of them would be too many bytes.
    private static let largeEvents: Int64 = 4
    /// Lines that are read at once where it is only asked whether any tells something.
    private static let probedLines = 250
    /// Pages that are made at once.
    static let places = 2
    /// Requests for pages that wait at once.
    static let maximumWaiting = 64

    let feed: EventFeed
    var archive: EventArchive
    let catalogue: SessionCatalogue
    let threads: Threads
    /// What is not read, whatever a pointer names (``TailLimits/secrets``).
    let secrets: [String]
    private var isExact = false
    private var isOfRing = false

    init(
        feed: EventFeed, archive: EventArchive, catalogue: SessionCatalogue, threads: Threads,
        secrets: [String]
    ) {
        (self.feed, self.archive, self.catalogue) = (feed, archive, catalogue)
        (self.threads, self.secrets) = (threads, secrets)
    }

    /// Where pages are made.
    struct Threads: Sendable {
        /// For those of the ring alone, and of sessions that nobody finds.
        let ring: NIOThreadPool
        /// For those that may need Ralph's files, whose file system may not answer.
        let files: FileThreads
        /// What they wait for at a workspace, and nothing else does.
        let kind: String
    }

    /// The same, for events with what the soft cap of http-contract 4.3 cuts off, as long as their file has it.
    var whole: HistoryReader {
        var reader = self
        reader.archive.isWhole = true
        return reader
    }

    /// The same, where a cut text would be taken for the whole one: without its file's place, which the store cannot tell
    /// while it cannot be written, a page fails.
    var exact: HistoryReader {
        var reader = whole
        reader.isExact = true
        return reader
    }

    /// The same, for what the ring has and nothing else: it waits for no workspace, whose file system may not answer.
    var ofRing: HistoryReader {
        var reader = self
        reader.isOfRing = true
        return reader
    }

    /// What a page is asked for.
    enum Window: Sendable {
        /// The oldest events after a seq.
        case after(Int64)
        /// The oldest events, for a cursor that is none of this session's.
        case elsewhere
        /// The oldest events later than a time, milliseconds since 1970.
        case since(Int64)
        /// The newest events before a seq, or of all if it is later than the newest.
        case before(Int64)
        /// What lies before first sight, before a place.
        case beforePlace(ArchivePlace)
    }

    /// One page, oldest first.
    ///
    /// - Parameters:
    ///   - end: a page that is made forwards ends before this number.
    ///   - time: how long the session's file system is waited for.
    /// - Throws: ``Problem`` 503 where the session's file system does not answer in time; what reading throws.
    func page(
        _ id: SessionID, _ window: Window, before end: Int64? = nil, limit: Int64,
        within time: Duration = FileThreads.limit
    ) async throws -> HistoryPage {
        let read = { @Sendable in try readPage(id, window, before: end ?? .max, limit: limit) }
        guard !isOfRing, let entry = catalogue.entry(id) else {
            return try await threads.ring.runIfActive(read)
        }
        // As many as have a turn: others wait behind them.
        return try await threads.files.run(
            at: entry.session.directory.workspace, of: threads.kind, within: time, proof: Self.places, read)
    }

    private func readPage(
        _ id: SessionID, _ window: Window, before end: Int64, limit: Int64
    ) throws -> HistoryPage {
        let head = feed.head(of: id) ?? FeedHead()
        switch window {
        case .after(let seq) where seq <= head.last:
            return try forwards(id, after: seq, before: end, limit: limit)
        case .after, .elsewhere:
            // Nobody got this cursor here: what there is, as a stream does.
            let start = max(0, head.firstKept - 1)
            var page = try forwards(id, after: start, before: end, limit: limit)
            page.notices.append(.unknownCursor(before: start))
            return page
        case .since(let time):
            let reader = StreamReader(feed: feed, archive: archive)
            let start = try reader.start(.session(id), .time(time))
            var page = try forwards(id, after: start.through, before: end, limit: limit)
            page.notices += start.pieces.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
            return page
        case .before(let seq): return try backwards(id, before: min(seq, head.last + 1), limit: limit)
        case .beforePlace(let place): return try unnumbered(id, before: place, limit: limit)
        }
    }

    private func forwards(
        _ id: SessionID, after seq: Int64, before end: Int64, limit: Int64
    ) throws -> HistoryPage {
        let last = min(feed.head(of: id)?.last ?? 0, max(end, 1) - 1)
        var page = HistoryPage(session: id, first: seq + 1)
        // What there is behind it is no less true for want of what comes before.
        if seq == 0, !isExact, !isOfRing { page.before = try? beginning(of: id) }
        guard seq < last else { return page }
        let reached = try addNumbered(from: seq + 1, through: min(last, seq + limit), to: &page)
        page.through = reached
        page.hasMore = reached < last
        return page
    }

    private func backwards(_ id: SessionID, before seq: Int64, limit: Int64) throws -> HistoryPage {
        var first = max(1, seq - limit)
        var page = HistoryPage(session: id, first: first)
        if try addNumbered(from: first, through: seq - 1, to: &page) < seq - 1 {
            page.pieces = []
            let oldest = first
            first = seq
            while first > oldest, page.bytes < Self.maximumBytes {
                var older = HistoryPage(session: id)
                let next = max(oldest, first - Self.largeEvents)
                // Nothing is left out; the next page begins there.
                let end = first - 1
                guard try addNumbered(from: next, through: end, to: &older, maximumBytes: .max) == end
                else { break }
                page.pieces = older.pieces + page.pieces
                first = next
            }
            page.first = first
        }
        if first == 1, !isOfRing { page.before = try unlessUnwritable { try beginning(of: id) } }
        page.hasMore = first > 1 || page.before != nil
        return page
    }

    /// Adds the events numbered `from` to `through`.
    ///
    /// - Returns: the last number that was looked at; less than `through` if the page is full.
    private func addNumbered(
        from: Int64, through: Int64, to page: inout HistoryPage, maximumBytes: Int = Self.maximumBytes
    ) throws -> Int64 {
        let id = page.session
        var next = from
        while next <= through {
            guard page.bytes < maximumBytes else { break }
            let chunk: ReplayChunk
            let head = feed.head(of: id) ?? FeedHead()
            if let recent = try recent(id, from: next, through: through) {
                // Memory may reach far behind the ring, and has what no file of Ralph's does.
                chunk = recent
            } else if next >= head.firstKept {
                chunk = try stored(id, from: next, through: through)
            } else if isOfRing {
                next = min(head.firstKept, through + 1)
                continue
            } else {
                chunk = try archived(id, from: next, through: min(through, head.firstKept - 1))
            }
            guard chunk.through >= next else {
                // The ring may have moved on between the two looks: then the file has it.
                if feed.head(of: id)?.firstKept ?? 0 > next { continue }
                break
            }
            page.pieces += chunk.pieces
            next = chunk.through + 1
        }
        return next - 1
    }

    /// The events that memory has from `from` on; `nil`: it has not that one.
    private func recent(_ id: SessionID, from: Int64, through: Int64) throws -> ReplayChunk? {
        guard
            case .blocks(let slices) = feed.recent(
                id, after: from - 1, limitBytes: EventArchive.maximumBytes)
        else { return nil }
        return try chunk(of: slices, id, from: from, through: through)
    }

    private func stored(_ id: SessionID, from: Int64, through: Int64) throws -> ReplayChunk {
        let blocks = try feed.stored(id, after: from - 1, limit: Int(through - from + 1))
        if let first = blocks.first?.firstSeq, first > from {
            // The tables' ring has moved on, and memory does not tell yet.
            let end = min(through, first - 1)
            return isOfRing ? ReplayChunk(through: end) : try archived(id, from: from, through: end)
        }
        return try chunk(
            of: blocks.map { BlockSlice(block: $0, range: 0..<$0.count) }, id, from: from, through: through)
    }

    /// What has left the ring, as Ralph's files have it, up to what memory has.
    private func archived(_ id: SessionID, from: Int64, through: Int64) throws -> ReplayChunk {
        var last = through
        if case .older(let oldest) = feed.recent(id, after: from - 1, limitBytes: 1) {
            last = min(last, oldest - 1)
        }
        return try archive.read(id, from: from, through: last)
    }

    private func chunk(
        of slices: [BlockSlice], _ id: SessionID, from: Int64, through: Int64
    ) throws -> ReplayChunk {
        var chunk = ReplayChunk(through: from - 1)
        for slice in slices {
            guard slice.firstSeq == chunk.through + 1, let slice = slice.through(through) else { break }
            guard archive.isWhole, slice.range.contains(where: { Self.isCut(slice.block, $0) }) else {
                chunk.pieces.append(.events(slice))
                chunk.through += Int64(slice.range.count)
                continue
            }
            try addWhole(slice, of: id, to: &chunk)
            break
        }
        return chunk
    }

    /// Adds the events of `slice`, those that are cut as their file has them; the first of them if they are large.
    private func addWhole(
        _ slice: BlockSlice, of id: SessionID, to chunk: inout ReplayChunk
    ) throws {
        var room = EventArchive.maximumBytes
        for index in slice.range where room > 0 {
            let stored = BlockSlice(block: slice.block, range: index..<index + 1)
            chunk.through += 1
            var event = stored
            if Self.isCut(slice.block, index), let whole = try whole(chunk.through, of: id) { event = whole }
            room -= event.bytes.count
            chunk.pieces.append(.events(event))
        }
    }

    /// The event `seq` as its file has it; `nil`: nobody knows. What is kept of it is better than nothing then.
    private func whole(_ seq: Int64, of id: SessionID) throws -> BlockSlice? {
        func read() throws -> BlockSlice? {
            let read = try archive.read(id, from: seq, through: seq)
            guard case .events(let whole)? = read.pieces.first else { return nil }
            return whole
        }
        return isExact ? try read() : try unlessUnwritable(read)
    }

    /// What `find` gives; `nil` also where nothing can be stored and so no place in a file be found, which is no reason to
    /// withhold what the store has.
    private func unlessUnwritable<Found>(_ find: () throws -> Found?) throws -> Found? {
        do { return try find() } catch StoreError.diskFull, StoreError.unwritable { return nil }
    }

    private static func isCut(_ block: EventBlock, _ index: Int) -> Bool {
        SessionNarrator.isCut(block.json(at: index))
    }

    private func unnumbered(_ id: SessionID, before place: ArchivePlace, limit: Int64) throws -> HistoryPage {
        var page = HistoryPage(session: id)
        guard let session = catalogue.entry(id)?.session else { return page }
        let numbered = try numbered(of: id)
        let older = try ArchiveReader.page(
            of: session, before: place, limit: Int(limit), numberedFrom: numbered.from,
            firstLines: numbered.firstLines, limits: tailLimits)
        page.unnumbered = older.batch
        page.before = older.previous
        page.hasMore = older.previous != nil
        return page
    }

    /// Where the newest events lie that have no numbers; `nil` if all have.
    private func beginning(of id: SessionID) throws -> ArchivePlace? {
        // Of a directory that is gone there is nothing but what was stored.
        guard let entry = catalogue.entry(id), !entry.isGone, let head = feed.head(of: id), head.last > 0
        else { return nil }
        let numbered = try numbered(of: id)
        do throws(TailError) {
            let newest = try ArchiveReader.newest(
                of: entry.session, numberedFrom: numbered.from, firstLines: numbered.firstLines,
                limits: tailLimits)
            guard let place = newest else { return nil }
            // A page is asked for only to learn whether there is one; a few lines may tell nothing.
            let page = try ArchiveReader.page(
                of: entry.session, before: place, limit: Self.probedLines, numberedFrom: numbered.from,
                firstLines: numbered.firstLines, limits: tailLimits)
            return page.batch.isEmpty ? nil : place
        } catch {
            // A file that changes, goes or may not be read is no reason to withhold the others.
            guard error.isPassing else { return nil }
            throw error
        }
    }

    private var tailLimits: TailLimits {
        var limits = TailLimits()
        limits.secrets = secrets
        return limits
    }

    /// From which byte on the events of each followed file are numbered, and the fingerprints of their first lines.
    private func numbered(
        of id: SessionID
    ) throws -> (from: [String: Int64], firstLines: Set<UInt64>) {
        let checkpoints = try feed.saved(id)?.checkpoints ?? [:]
        let firstSizes = TailPosition.firstSizes(in: checkpoints)
        var (offsets, generations): ([String: Int64], [String: Int]) = ([:], [:])
        var firstLines: Set<UInt64> = []
        // Where its content began anew it is followed from its first byte on; where it was only cut, what was before that at
        // first sight is there still.
        func beginning(of file: String, before end: Int64) -> Int64 { min(end, firstSizes[file] ?? 0) }
        for (file, checkpoint) in checkpoints {
            guard let position = TailPosition(encoded: checkpoint) else { continue }
            generations[file] = position.generation
            if position.firstLine != 0 { firstLines.insert(position.firstLine) }
            let isFirst = position.generation == 0
            offsets[file] = isFirst ? position.offset : beginning(of: file, before: position.offset)
        }
        for segment in try feed.archiveBeginnings(id) {
            guard let context = segment.context else { continue }
            let isOfNow = generations[context.file] ?? context.generation == context.generation
            offsets[context.file] =
                isOfNow ? segment.offset : beginning(of: context.file, before: segment.offset)
        }
        return (offsets, firstLines)
    }
}
