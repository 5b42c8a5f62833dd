/// Some events of a block that follow each other; shares the block's bytes.
package struct BlockSlice: Sendable {
    package let block: EventBlock
    /// Indices into ``EventBlock/entries``, not empty.
    package let range: Range<Int>

    package init(block: EventBlock, range: Range<Int>) {
        self.block = block
        self.range = range
    }

    /// The frames of the slice, back to back.
    package var bytes: ArraySlice<UInt8> { block.bytes(from: range.lowerBound, to: range.upperBound) }
    package var firstSeq: Int64 { block.firstSeq + Int64(range.lowerBound) }
    package var lastSeq: Int64 { block.firstSeq + Int64(range.upperBound) - 1 }
    package var firstGlobalID: Int64 { block.entries[range.lowerBound].globalID }
    package var lastGlobalID: Int64 { block.entries[range.upperBound - 1].globalID }
}
