package import RalphWire

extension EventBlock {
    /// Blocks are cut when they have this many bytes, so that memory can be given back in small pieces.
    static let targetBytes = 256 * 1024

    /// The blocks of all events of `batch`, the first of which is number `firstSeq`.
    ///
    /// - Parameter globalIDs: the global id of the event at an index of `batch`.
    package static func blocks(
        of batch: borrowing EventBatch, session: SessionID, firstSeq: Int64, globalIDs: (Int) -> Int64
    ) -> [EventBlock] {
        let encoder = ServerSentEventEncoder(session: session)
        var blocks: [EventBlock] = []
        var start = 0
        while start < batch.items.count {
            var (end, count) = (start, 0)
            repeat {
                count += encoder.byteCount(
                    seq: firstSeq + Int64(end), memberBytes: batch.items[end].members.count)
                end += 1
            } while end < batch.items.count && count < targetBytes
            let block = EventBlock(
                of: batch, items: start..<end, byteCount: count, session: session,
                firstSeq: firstSeq + Int64(start), encoder: encoder, globalIDs: globalIDs)
            blocks.append(block)
            start = end
        }
        return blocks
    }

    /// The first events of `slice`, at most `limit`, at least one, as a block of their own.
    convenience init(of slice: BlockSlice, limit: Int) {
        let range = slice.range.prefix(max(1, limit))
        let start = slice.block.frameStart(range.lowerBound)
        self.init(
            session: slice.block.session, firstSeq: slice.firstSeq,
            bytes: Array(slice.block.bytes(from: range.lowerBound, to: range.upperBound)),
            entries: slice.block.entries[range].map { $0.shifted(by: -start) })
    }

    /// The block of `items`, whose frames have `byteCount` bytes together.
    private convenience init(
        of batch: borrowing EventBatch, items: Range<Int>, byteCount: Int, session: SessionID,
        firstSeq: Int64, encoder: ServerSentEventEncoder, globalIDs: (Int) -> Int64
    ) {
        var entries: [Entry] = []
        entries.reserveCapacity(items.count)
        let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { target, written in
            guard let base = UnsafeMutableRawPointer(target.baseAddress) else { return }
            batch.bytes.withUnsafeBytes { source in
                for index in items {
                    let item = batch.items[index]
                    let layout = encoder.write(
                        seq: firstSeq + Int64(index - items.lowerBound),
                        members: UnsafeRawBufferPointer(rebasing: source[item.members]),
                        to: base + written)
                    entries.append(Entry(item, at: written, layout: layout, globalID: globalIDs(index)))
                    written += layout.count
                }
            }
        }
        self.init(session: session, firstSeq: firstSeq, bytes: bytes, entries: entries)
    }
}
