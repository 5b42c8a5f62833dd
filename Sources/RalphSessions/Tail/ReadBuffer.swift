/// Memory that reads go into, used again by each.
final class ReadBuffer {
    private var memory: UnsafeMutableRawBufferPointer
    private let usualCount: Int
    /// The most that was asked for, in bytes.
    private(set) var largestCount = 0

    /// - Parameter count: its usual size in bytes; it grows for one long line and shrinks behind it.
    init(count: Int) {
        usualCount = max(count, 4096)
        memory = .allocate(byteCount: usualCount, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Exactly `count` bytes of unknown content, valid until the next call.
    func bytes(_ count: Int) -> UnsafeMutableRawBufferPointer {
        largestCount = max(largestCount, count)
        if count > memory.count || (memory.count > usualCount && count <= usualCount) {
            memory.deallocate()
            memory = .allocate(byteCount: max(count, usualCount), alignment: 16)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
    }
}
