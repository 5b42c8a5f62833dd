package import RalphWire

// History before first sight was never numbered: it is paged backwards, from file to older file.
extension ArchiveReader {
    /// A page of events, oldest first, and the place before which the next older page ends.
    package struct Page: Sendable {
        package var batch: EventBatch
        /// `nil`: there is nothing older.
        package var previous: ArchivePlace?
    }

    /// No page is looked for in more bytes than this at once, unless a single line is longer.
    private static let maximumPageBytes: Int64 = 4 << 20

    /// The place before which the first page ends; `nil`: all that the files hold is numbered.
    ///
    /// - Parameters:
    ///   - numberedFrom: from which byte on a file's events are numbered; of others none is.
    ///   - firstLines: fingerprints of the first lines of numbered files; a file beside them that begins so is a copy.
    /// - Throws: ``TailError/unreadable(path:errno:)`` if that cannot be known now.
    package static func newest(
        of session: DiscoveredSession, numberedFrom: [String: Int64], firstLines: Set<UInt64> = [],
        limits: TailLimits = TailLimits()
    ) throws(TailError) -> ArchivePlace? {
        let files = try chain(of: session, numberedFrom, firstLines, limits).files
        return try end(ofNewestIn: files[...], numberedFrom)
    }

    /// How long a line is looked for: a hole may have any size. Less than anybody waits for a page.
    private static let patience = Duration.seconds(6)

    /// The newest `limit` lines before `place`, down to the first line of the session's first file, but for those that are
    /// numbered. Older files that may not be read are left out.
    ///
    /// Events are whole, beyond the soft cap of http-contract 4.3. Lines that hold several events give all of
    /// them, so a page may have more than `limit` events. It has none only if there is nothing older.
    ///
    /// - Throws: ``TailError/fileChanged(path:)`` if the file is not the one that `place` was taken from, or has nothing but
    ///   a hole for longer than ``patience``.
    package static func page(
        of session: DiscoveredSession, before place: ArchivePlace, limit: Int,
        numberedFrom: [String: Int64] = [:], firstLines: Set<UInt64> = [], limits: TailLimits = TailLimits()
    ) throws(TailError) -> Page {
        let (all, denial) = try chain(of: session, numberedFrom, firstLines, limits)
        let files = all.drop { $0.key != place.file }
        guard let first = files.first else { throw denial ?? .fileChanged(path: place.file) }
        let file = try OpenFile(first.path)
        guard try ArchivePlace(named: place.file, in: file, offset: place.offset) == place else {
            throw .fileChanged(path: first.path)
        }
        // What was not numbered when the place was given may be by now.
        let end = min(place.offset, numberedFrom[place.file] ?? .max)
        var page = Page(batch: EventBatch(), previous: nil)
        page.previous =
            end > 0
            ? try ArchivePlace(named: place.file, in: file, offset: end)
            : try self.end(ofNewestIn: files.dropFirst(), numberedFrom)
        let deadline = ContinuousClock.now + patience
        while page.batch.isEmpty, let previous = page.previous {
            guard ContinuousClock.now < deadline else { throw .fileChanged(path: first.path) }
            page = try older(than: previous, in: files, numberedFrom, limit: max(1, limit), limits: limits)
        }
        return page
    }

    /// All events files, newest first, without copies, and why there may be more; whatever else is named is not ours to read.
    private static func chain(
        of session: DiscoveredSession, _ numberedFrom: [String: Int64], _ firstLines: Set<UInt64>,
        _ limits: TailLimits
    ) throws(TailError) -> (files: [TailSource], denial: TailError?) {
        var files = EventsFiles(session, secrets: limits.secrets)
        var all = files.all()
        // The current one may lie elsewhere in the workspace.
        let current = files.current()
        if case .file(let source) = current, !all.contains(source) { all.append(source) }
        if let trouble = files.takeTrouble() { throw trouble }
        var found: [TailSource] = []
        for source in all {
            let isOther = source.isPutAside && .file(source) != current && numberedFrom[source.key] == nil
            if isOther, try isCopy(source, of: firstLines) { continue }
            found.append(source)
        }
        return (found.sorted { ($0.rank, $0.key) > ($1.rank, $1.key) }, files.denial)
    }

    private static func isCopy(_ source: TailSource, of firstLines: Set<UInt64>) throws(TailError) -> Bool {
        guard !firstLines.isEmpty else { return false }
        do throws(TailError) {
            return firstLines.contains(
                try FirstSight.fingerprint(ofFirstLineIn: try OpenFile(source.path)))
        } catch {
            if error.isPassing { throw error }
            return false
        }
    }

    private static func older(
        than place: ArchivePlace, in files: ArraySlice<TailSource>, _ numberedFrom: [String: Int64],
        limit: Int, limits: TailLimits
    ) throws(TailError) -> Page {
        guard let index = files.firstIndex(where: { $0.key == place.file }) else {
            return Page(batch: EventBatch(), previous: nil)
        }
        let file = try OpenFile(files[index].path)
        let found = try BackwardScan.newest(
            limit, of: file, before: place.offset,
            maximumBytes: max(maximumPageBytes, Int64(2 * limits.maximumLineBytes)),
            buffer: ReadBuffer(count: limits.readBytes), block: limits.readBytes)
        let batch = try events(of: file, named: place.file, from: found.offset, to: place.offset, limits)
        if found.lines > 0, found.offset > 0 {
            let previous = try ArchivePlace(named: place.file, in: file, offset: found.offset)
            return Page(batch: batch, previous: previous)
        }
        return Page(batch: batch, previous: try end(ofNewestIn: files[(index + 1)...], numberedFrom))
    }

    /// The events of the lines between two offsets; a last line without LF counts if it is whole.
    private static func events(
        of file: OpenFile, named name: String, from start: Int64, to end: Int64, _ limits: TailLimits
    ) throws(TailError) -> EventBatch {
        var batch = EventBatch()
        let context = EventBatch.Context(file: name, generation: 0, iteration: 0, hat: "")
        let index = batch.contextIndex(context)
        let status = try file.status()
        let take = { (line: UnsafeRawBufferPointer, offset: Int64, batch: inout EventBatch) in
            SessionNarrator.readArchivedLine(
                line, context: context, contextIndex: index, offset: offset,
                fileTime: status.modified / 1_000_000, isWhole: true, into: &batch)
        }
        var reader = LineReader(offset: start, limits: limits)
        let buffer = ReadBuffer(count: limits.readBytes)
        while reader.offset < end {
            let step = try reader.step(file, buffer: buffer, end: end) { item in
                if case .line(let line, let offset) = item { take(line, offset, &batch) }
            }
            guard case .read(_, atEnd: false) = step else { break }
        }
        if end == status.size {
            let (bytes, offset, length) = try reader.unfinishedLine(of: file)
            bytes.withUnsafeBytes { line in
                if Int64(line.count) == length, LineText.isWholeObjects(line) { take(line, offset, &batch) }
            }
        }
        return batch
    }

    /// The end of what is not numbered in the first of `files` that has something of that kind.
    private static func end(
        ofNewestIn files: ArraySlice<TailSource>, _ numberedFrom: [String: Int64]
    ) throws(TailError) -> ArchivePlace? {
        for source in files {
            guard let status = EntryStatus(at: source.path), status.kind == .file else { continue }
            let end = min(status.size, numberedFrom[source.key] ?? .max)
            guard end > 0 else { continue }
            do throws(TailError) {
                return try ArchivePlace(named: source.key, in: OpenFile(source.path), offset: end)
            } catch {
                // One that may not be read keeps nobody from what is older.
                if error.isPassing { throw error }
            }
        }
        return nil
    }
}
