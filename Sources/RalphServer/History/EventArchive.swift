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
        guard
            let batch = batch(
                segment, context, of: id, skipped: skipped, through: last, room, checkpoints[context.file])
        else {
            appendGap(first, last, .fileChanged, to: &chunk)
            return
        }
        room -= batch.bytes.count
        let blocks = EventBlock.blocks(of: batch, session: id, firstSeq: first, globalIDs: { _ in 0 })
        for block in blocks { chunk.pieces.append(.events(BlockSlice(block: block, range: 0..<block.count))) }
        chunk.through = first + Int64(batch.count) - 1
    }

    private func batch(
        _ segment: ArchiveSegment, _ context: EventBatch.Context, of id: SessionID, skipped: Int,
        through last: Int64, _ room: Int, _ checkpoint: [UInt8]?
    ) -> EventBatch? {
        guard let session = catalogue.entry(id)?.session else { return nil }
        let count = last - segment.seq + 1
        do {
            let batch = try ArchiveReader.lines(
                in: ArchiveReader.path(ofFile: context.file, in: session), from: segment.offset,
                events: count, context: context, skipped: skipped, maximumBytes: room,
                isWhole: isWhole, checkpoint: checkpoint)
            return batch.isEmpty ? nil : batch
        } catch {
            return nil  // the caller says so with a gap that names the range
        }
    }

    private func appendGap(
        _ from: Int64, _ to: Int64, _ reason: StreamGap.Reason, to chunk: inout ReplayChunk
    ) {
        chunk.pieces.append(.gap(StreamGap(from: from, to: to, reason: reason)))
        chunk.through = to
    }
}
