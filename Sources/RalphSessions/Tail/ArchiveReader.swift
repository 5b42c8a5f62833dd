package import RalphWire

/// Reads parts of events files again, long after they were tailed. For any thread; nothing is shared and
/// nothing stays open.
package enum ArchiveReader {
    /// By how many milliseconds an event may have been told to be later than it is read here at most.
    package static let maximumTimeShift = NameClock.maximumDrift

    /// Reads once numbered events again.
    ///
    /// - Parameters:
    ///   - offset: where the first event's JSON object begins; it may stand inside a line.
    ///   - count: how many events, all of `context`.
    ///   - skipped: how many of them the caller leaves out, at the beginning.
    ///   - maximumBytes: behind so many bytes of the others no further ones are read.
    ///   - isWhole: see ``SessionNarrator/readArchivedLine(_:context:contextIndex:offset:fileTime:isWhole:into:)``.
    ///   - checkpoint: what ``SessionRead/checkpoints`` said last of the file; `nil`: not known.
    /// - Throws: ``TailError/fileChanged(path:)`` if the file began anew since or does not hold the events, for
    ///   example because the part where they stood was freed.
    package static func lines(
        in path: String, from offset: Int64, events count: Int64, context: EventBatch.Context,
        skipped: Int = 0, maximumBytes: Int = .max, isWhole: Bool = false, checkpoint: [UInt8]?,
        limits: TailLimits = TailLimits()
    ) throws(TailError) -> EventBatch {
        let file = try OpenFile(path)
        let status = try file.status()
        // Behind a hole other events would be found.
        guard try isSame(file, checkpoint: checkpoint, generation: context.generation),
            try file.bytes(at: offset, count: 1) == [UInt8(ascii: "{")]
        else { throw .fileChanged(path: path) }
        var batch = EventBatch()
        let index = batch.contextIndex(context)
        var reader = LineReader(offset: offset, limits: limits)
        var holes = HoleWatch(offset: offset, isWatching: context.isAgentOutput)
        let buffer = ReadBuffer(count: limits.readBytes)
        var (dropped, isFull) = (0, false)
        var first: Int64?
        while dropped + batch.items.count < count, !isFull {
            let step = try read(file, by: &reader, buffer, end: status.size) { item in
                guard dropped + batch.items.count < count else { return }
                holes.note(item)
                guard case .line(let line, let place) = item else { return }
                SessionNarrator.readArchivedLine(
                    line, context: context, contextIndex: index, offset: place,
                    fileTime: status.modified / 1_000_000, isWhole: isWhole, into: &batch)
            }
            first = first ?? batch.items.first?.offset
            let surplus = min(skipped - dropped, batch.items.count)
            batch.removeFirst(surplus)
            dropped += surplus
            guard try !holes.found(in: file), case .read(_, atEnd: false) = step else { break }
            isFull = batch.bytes.count >= maximumBytes && !batch.isEmpty
        }
        guard isFull || dropped + batch.items.count >= count, first == offset, try !holes.found(in: file)
        else { throw .fileChanged(path: path) }
        batch.keepFirst(Int(count) - dropped)
        return batch
    }

    /// One step of `reader`, and at `end` a last line that only lacks its LF: where its file had gone away for a while, the
    /// tail gave it so, and it has a number.
    private static func read(
        _ file: OpenFile, by reader: inout LineReader, _ buffer: ReadBuffer, end: Int64,
        _ consume: (TailItem) -> Void
    ) throws(TailError) -> LineReader.Step {
        let step = try reader.step(file, buffer: buffer, end: end, consume)
        guard case .read(_, atEnd: true) = step else { return step }
        let (bytes, offset, length) = try reader.unfinishedLine(of: file, end: end)
        bytes.withUnsafeBytes { line in
            if Int64(line.count) == length, LineText.isWholeObjects(line) {
                consume(.line(line, offset: offset))
            }
        }
        return step
    }

    /// Whether `file` is still the one that `checkpoint` is of, of which the beginning may have been freed.
    private static func isSame(
        _ file: OpenFile, checkpoint: [UInt8]?, generation: Int
    ) throws(TailError) -> Bool {
        guard let checkpoint else { return true }
        guard let known = TailPosition(encoded: checkpoint), known.generation == generation else {
            return false
        }
        let head = try file.bytes(at: 0, count: known.head.count)
        return head == known.head || head.count == known.head.count && head.allSatisfy { $0 == 0 }
    }

    /// Where ``ArchiveReader`` finds the file that a context or checkpoint names.
    package static func path(ofFile name: String, in session: DiscoveredSession) -> String {
        TailSource(key: name, in: session.directory).path
    }
}

extension EventBatch {
    /// Lets go of all but the first events, and of their bytes.
    fileprivate mutating func keepFirst(_ count: Int) {
        guard let end = items.prefix(count).last?.members.upperBound else { return }
        items.removeLast(max(0, items.count - count))
        bytes.removeLast(bytes.count - end)
    }

    /// Lets go of the first events and their bytes.
    fileprivate mutating func removeFirst(_ count: Int) {
        guard count > 0 else { return }
        let start = items[count - 1].members.upperBound
        items.removeFirst(count)
        bytes.removeFirst(start)
        for index in items.indices {
            items[index].members = items[index].members.shifted(by: -start)
            items[index].topic = items[index].topic.shifted(by: -start)
            items[index].type = items[index].type.shifted(by: -start)
        }
    }
}
