/// Finds lines from the end of a file backwards, in blocks, without holding any line whole.
struct BackwardScan {
    /// Where the lines begin and how many there are; over-long ones count, blank ones do not.
    struct Found: Equatable {
        var offset: Int64
        var lines: Int
    }

    private let wanted: Int
    private var found: Found
    /// Whether the line in progress ends at an LF; bytes behind the last LF are no line yet.
    private var isBounded = false
    private var hasContent = false

    private init(wanted: Int, end: Int64) {
        self.wanted = wanted
        found = Found(offset: end, lines: 0)
    }

    /// The newest `lines` lines of `file` that end at or before `end`; for 0 lines the place behind them.
    ///
    /// - Parameter maximumBytes: about how far to look; a line that begins further away is not counted, and
    ///   if it is the last one, the place given is inside it.
    static func newest(
        _ lines: Int, of file: OpenFile, before end: Int64, maximumBytes: Int64, buffer: ReadBuffer,
        block: Int
    ) throws(TailError) -> Found {
        var scan = BackwardScan(wanted: lines, end: end)
        var upper = end
        while upper > 0 {
            let lower = max(0, upper - Int64(block))
            let memory = buffer.bytes(Int(upper - lower))
            guard try file.read(into: memory, at: lower) == memory.count else {
                throw .fileChanged(path: file.path)
            }
            if scan.take(UnsafeRawBufferPointer(memory), at: lower) { return scan.found }
            upper = lower
            if end - lower >= maximumBytes {
                return scan.found.lines > 0 ? scan.found : Found(offset: lower, lines: min(1, lines))
            }
        }
        guard scan.isBounded else { return Found(offset: 0, lines: 0) }
        scan.finishLine(from: 0)
        return scan.found
    }

    /// Goes through `bytes`, which lie before everything seen so far.
    ///
    /// - Returns: whether all lines wanted were found.
    private mutating func take(_ bytes: UnsafeRawBufferPointer, at base: Int64) -> Bool {
        var ends: [Int] = []
        var next = 0
        while let end = LineText.firstLineFeed(in: bytes, from: next) {
            ends.append(end)
            next = end + 1
        }
        var upper = bytes.count
        for end in ends.reversed() {
            note(UnsafeRawBufferPointer(rebasing: bytes[end + 1..<upper]))
            if isBounded {
                finishLine(from: base + Int64(end) + 1)
            } else {
                found.offset = base + Int64(end) + 1
            }
            if found.lines == wanted { return true }
            isBounded = true
            hasContent = false
            upper = end
        }
        note(UnsafeRawBufferPointer(rebasing: bytes[..<upper]))
        return false
    }

    private mutating func note(_ part: UnsafeRawBufferPointer) {
        if !hasContent { hasContent = !LineText.isBlank(part) }
    }

    private mutating func finishLine(from offset: Int64) {
        if hasContent { found = Found(offset: offset, lines: found.lines + 1) }
    }
}
