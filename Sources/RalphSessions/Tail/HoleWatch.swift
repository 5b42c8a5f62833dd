/// Notices that a part of a run's output was freed (fallocate(2)) among the lines that are read again: those
/// behind it would pass for those that were in it.
struct HoleWatch {
    /// Where the next line begins unless blank ones come first.
    private var next: Int64
    /// Places of lines that begin elsewhere.
    private var jumps: [Int64] = []
    private var isFound = false
    private let isWatching: Bool

    init(offset: Int64, isWatching: Bool) {
        next = offset
        self.isWatching = isWatching
    }

    /// Takes the next item of the file.
    mutating func note(_ item: TailItem) {
        guard isWatching else { return }
        switch item {
        case .line(let line, let offset):
            if offset != next { jumps.append(offset) }
            if line.contains(0) { isFound = true }
            next = offset + Int64(line.count) + 1
        case .overlongLine: isFound = true  // such a line ended its stretch when it was new
        default: break
        }
    }

    /// Whether one was there.
    mutating func found(in file: OpenFile) throws(TailError) -> Bool {
        for jump in jumps where !isFound {
            isFound = try file.bytes(at: jump - 1, count: 1) == [0]
        }
        jumps = []
        return isFound
    }
}
