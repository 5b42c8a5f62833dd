/// Blocks in their order: added at the end, dropped at the front, found by bisection.
struct BlockQueue {
    private var blocks: [EventBlock?] = []
    private var start = 0

    var count: Int { blocks.count - start }
    var first: EventBlock? { start < blocks.count ? blocks[start] : nil }

    mutating func append(_ block: EventBlock) { blocks.append(block) }

    /// Drops the first block; the array is closed up when half of it is empty.
    mutating func removeFirst() {
        blocks[start] = nil
        start += 1
        if start * 2 > blocks.count {
            blocks.removeFirst(start)
            start = 0
        }
    }

    /// The events behind `cursor`, at most `limit` bytes of them but at least one.
    ///
    /// - Parameter first: the number of a block's first event; numbers go on without a hole from block to
    ///   block, the first of them is at most `cursor` + 1, the last one more than `cursor`.
    func slices(after cursor: Int64, limit: Int, first: (EventBlock) -> Int64) -> [BlockSlice] {
        var slices: [BlockSlice] = []
        var bytes = 0
        var position = index(of: cursor + 1, first: first)
        var lower = 0
        if let block = block(at: position) { lower = Int(cursor + 1 - first(block)) }
        while let block = block(at: position), slices.isEmpty || bytes < limit {
            let upper = block.end(from: lower, limit: limit - bytes)
            let size = block.frameStart(upper) - block.frameStart(lower)
            if !slices.isEmpty, size > limit - bytes { break }
            slices.append(BlockSlice(block: block, range: lower..<upper))
            if upper < block.count { break }
            bytes += size
            position += 1
            lower = 0
        }
        return slices
    }

    private func block(at position: Int) -> EventBlock? {
        position < blocks.count ? blocks[position] : nil
    }

    /// The position of the last block that begins at or before `number`.
    private func index(of number: Int64, first: (EventBlock) -> Int64) -> Int {
        var (low, high) = (start, blocks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if let block = blocks[middle], first(block) <= number { low = middle } else { high = middle }
        }
        return low
    }
}
