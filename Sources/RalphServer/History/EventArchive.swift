import RalphFeed
import RalphSessions
import RalphWire

/// Numbered events that have left the ring, read again from Ralph's own files (design 4).
struct EventArchive: Sendable {
    /// Behind so many bytes no further events are read at once; an event may have a mebibyte.
    static let maximumBytes = 1 << 20

    let feed: EventFeed
    let catalogue: SessionCatalogue
    /// Whether events have what the soft cap of http-contract 4.3 cuts off.
    var isWhole = false

    /// The events of `id` numbered `from` to `through`, or the first of them if they are large; what no file holds
    /// any more is a gap.
    func read(_ id: SessionID, from: Int64, through: Int64) throws(StoreError) -> ReplayChunk {
        var chunk = ReplayChunk(through: from - 1)
        let checkpoints = try feed.saved(id)?.checkpoints ?? [:]
        var room = Self.maximumBytes
        for segment in try feed.archiveSegments(id, from: from, through: through) {
            let first = max(from, segment.seq)
            let last = min(through, segment.seq + segment.count - 1)
            guard first <= last else { continue }
            if first > chunk.through + 1 { appendGap(chunk.through + 1, first - 1, .fileChanged, to: &chunk) }
            append(segment, of: id, first: first, last: last, checkpoints, &room, to: &chunk)
            if room <= 0 { return chunk }
        }
        if chunk.through < through { appendGap(chunk.through + 1, through, .fileChanged, to: &chunk) }
        return chunk
    }

    private func append(
        _ segment: ArchiveSegment, of id: SessionID, first: Int64, last: Int64,
        _ checkpoints: [String: [UInt8]], _ room: inout Int, to chunk: inout ReplayChunk
    ) {
        guard let context = segment.context else {
            appendGap(first, last, .retention, to: &chunk)
            return
        }
        let skipped = Int(first - segment.seq)
        let batch: EventBatch
        do throws(TailError) {
            batch = try self.batch(
                segment, context, of: id, skipped: skipped, through: last, room, checkpoints[context.file])
        } catch {
            return appendGap(first, last, StreamGap.Reason(error), to: &chunk)
        }
        room -= batch.bytes.count
        let blocks = EventBlock.blocks(of: batch, session: id, firstSeq: first, globalIDs: { _ in 0 })
        for block in blocks { chunk.pieces.append(.events(BlockSlice(block: block, range: 0..<block.count))) }
        chunk.through = first + Int64(batch.count) - 1
    }

    private func batch(
        _ segment: ArchiveSegment, _ context: EventBatch.Context, of id: SessionID, skipped: Int,
        through last: Int64, _ room: Int, _ checkpoint: [UInt8]?
    ) throws(TailError) -> EventBatch {
        guard let session = catalogue.entry(id)?.session else { throw .missing(path: context.file) }
        let path = ArchiveReader.path(ofFile: context.file, in: session)
        let batch = try ArchiveReader.lines(
            in: path, from: segment.offset, events: last - segment.seq + 1, context: context,
            skipped: skipped, maximumBytes: room, isWhole: isWhole, checkpoint: checkpoint)
        guard !batch.isEmpty else { throw .fileChanged(path: path) }
        return batch
    }

    private func appendGap(
        _ from: Int64, _ to: Int64, _ reason: StreamGap.Reason, to chunk: inout ReplayChunk
    ) {
        chunk.pieces.append(.gap(StreamGap(from: from, to: to, reason: reason)))
        chunk.through = to
    }
}

extension StreamGap.Reason {
    /// Why what a file held cannot be had from it.
    fileprivate init(_ error: TailError) {
        switch error {
        case .missing, .notRegularFile, .fileChanged: self = .fileChanged
        case .notPermitted, .returning, .unreadable: self = .fileUnreadable
        }
    }
}
