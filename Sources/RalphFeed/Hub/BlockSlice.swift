/// Some events of a block that follow each other; shares the block's bytes.
package struct BlockSlice: Sendable {
    package let block: EventBlock
    /// Indices into ``EventBlock/entries``, not empty.
    package let range: Range<Int>

    package init(block: EventBlock, range: Range<Int>) {
        self.block = block
        self.range = range
    }

    /// The events up to number `seq`; `nil`: all come later.
    package func through(_ seq: Int64) -> BlockSlice? {
        let upper = min(Int64(range.upperBound), seq - block.firstSeq + 1)
        guard upper > range.lowerBound else { return nil }
        return BlockSlice(block: block, range: range.lowerBound..<Int(upper))
    }

    /// The events behind number `seq`; `nil`: none is.
    package func after(_ seq: Int64) -> BlockSlice? {
        let lower = max(Int64(range.lowerBound), seq - block.firstSeq + 1)
        guard lower < range.upperBound else { return nil }
        return BlockSlice(block: block, range: Int(lower)..<range.upperBound)
    }

    /// The first events, as many as `limit` bytes have room for, but at least one.
    package func prefix(bytes limit: Int) -> BlockSlice {
        let end = min(range.upperBound, block.end(from: range.lowerBound, limit: max(0, limit)))
        return BlockSlice(block: block, range: range.lowerBound..<end)
    }

    /// The frames of the slice, back to back.
    package var bytes: ArraySlice<UInt8> { block.bytes(from: range.lowerBound, to: range.upperBound) }
    package var firstSeq: Int64 { block.firstSeq + Int64(range.lowerBound) }
    package var lastSeq: Int64 { block.firstSeq + Int64(range.upperBound) - 1 }
    package var firstGlobalID: Int64 { block.entries[range.lowerBound].globalID }
    package var lastGlobalID: Int64 { block.entries[range.upperBound - 1].globalID }
}
