import Foundation

/// Reads a file line by line, forwards, with a buffer that never holds more than one allowed line more than
/// it was asked to read.
///
/// A step reads once with pread(2), beginning with the last bytes consumed before, so that the same system
/// call shows the new bytes and that the old ones are still there. Lines end at 0x0A only; an unfinished
/// last line waits. What is unfinished is read again by the next step, but for NULs before it and for a
/// line that is too long already: those are left behind and remembered as ``Unfinished``.
struct LineReader {
    /// A last line of which some bytes need not be read again.
    private struct Unfinished {
        /// Where the line begins, behind NULs.
        var start: Int64
        /// Where reading goes on.
        var resume: Int64
        /// The last bytes before ``resume``.
        var before: [UInt8]
        var isOverlong: Bool
    }

    /// What one step came to.
    enum Step: Equatable {
        /// That many bytes were read; `atEnd`: nothing more was there.
        case read(bytes: Int, atEnd: Bool)
        /// The bytes before ``offset`` are not what they were; nothing was consumed.
        case changed
    }

    /// Just behind the last line consumed.
    private(set) var offset: Int64
    /// The first bytes consumed, see ``TailPosition``.
    private(set) var head: [UInt8]
    /// The last bytes before ``offset``.
    private(set) var tail: [UInt8]
    private var unfinished: Unfinished?
    private var wantedBytes: Int
    private let limits: TailLimits

    /// Where a line in progress has so few NULs before it that they are simply read again.
    private static let negligibleBytes = 4096

    init(offset: Int64 = 0, head: [UInt8] = [], tail: [UInt8] = [], limits: TailLimits) {
        self.offset = offset
        self.head = head
        self.tail = tail
        self.limits = limits
        wantedBytes = limits.readBytes
    }

    /// Reads once from `file` and gives each line that became complete.
    ///
    /// - Parameter end: bytes from here on are left alone.
    mutating func step(
        _ file: OpenFile, buffer: ReadBuffer, end: Int64 = .max, _ consume: (TailItem) -> Void
    ) throws(TailError) -> Step {
        let known = unfinished?.before ?? tail
        let start = unfinished?.resume ?? offset
        let room = Int(min(Int64(wantedBytes), max(0, end - start)))
        let memory = buffer.bytes(known.count + room)
        let count = try file.read(into: memory, at: start - Int64(known.count))
        let isKnown = count >= known.count && known.withUnsafeBytes { memory.starts(with: $0) }
        guard isKnown else {
            guard unfinished != nil else { return .changed }
            unfinished = nil
            return .read(bytes: count, atEnd: false)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
        let consumed = split(bytes, from: known.count, at: start - Int64(known.count), consume)
        let isAtEnd = count < known.count + room || start + Int64(count - known.count) >= end
        let isStuck = consumed == known.count && !isAtEnd
        leave(bytes, from: consumed, at: start - Int64(known.count), isStuck: isStuck)
        let headCount = Int(min(offset, Int64(TailPosition.fingerprintBytes)))
        if head.count < headCount { head = try file.bytes(at: 0, count: headCount) }
        return .read(bytes: count - known.count, atEnd: isAtEnd)
    }

    /// The unfinished last line of `file`, NULs before it left out, and where it begins.
    ///
    /// - Parameter end: bytes from here on are left alone.
    /// - Returns: its length, and no bytes if it is too long to be a line.
    func unfinishedLine(
        of file: OpenFile, end: Int64 = .max
    ) throws(TailError) -> (bytes: [UInt8], offset: Int64, length: Int64) {
        let size = min(end, try file.status().size)
        let start = unfinished?.start ?? offset
        let length = max(0, size - start)
        if unfinished?.isOverlong == true || length > Int64(limits.maximumLineBytes + Self.negligibleBytes) {
            return ([], start, length)
        }
        let all = try file.bytes(at: start, count: Int(length))
        let bytes = Array(all.drop { $0 == 0 })
        return (bytes, start + Int64(all.count - bytes.count), Int64(bytes.count))
    }

    /// Counts `bytes`, which are all that is behind ``offset``, as consumed up to `end`.
    mutating func consumeUnfinished(_ bytes: [UInt8], through end: Int64) {
        if offset == 0, Int64(bytes.count) == end {
            head = Array(bytes.prefix(TailPosition.fingerprintBytes))
        }
        tail = Array(bytes.suffix(TailPosition.fingerprintBytes))
        offset = end
        unfinished = nil
    }

    /// Gives the lines of `bytes`, whose first byte lies at `base`, beginning at `first`.
    ///
    /// - Returns: the index behind the last LF, `first` if there is none.
    private mutating func split(
        _ bytes: UnsafeRawBufferPointer, from first: Int, at base: Int64, _ consume: (TailItem) -> Void
    ) -> Int {
        var start = first
        while let end = LineText.firstLineFeed(in: bytes, from: start) {
            let line = LineText.withoutLeadingNULs(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            var lineStart = base + Int64(end - line.count)
            if let pending = unfinished, pending.isOverlong { lineStart = pending.start }
            let length = base + Int64(end) - lineStart
            if length > Int64(limits.maximumLineBytes) {
                consume(.overlongLine(bytes: length, offset: lineStart))
            } else if !LineText.isBlank(line) {
                consume(.line(line, offset: lineStart))
            }
            unfinished = nil
            start = end + 1
        }
        if start > first { remember(bytes, through: start, at: base) }
        return start
    }

    /// Takes the fingerprints of what was consumed: `bytes` up to index `end`.
    private mutating func remember(_ bytes: UnsafeRawBufferPointer, through end: Int, at base: Int64) {
        let limit = TailPosition.fingerprintBytes
        if base == 0, head.count < limit { head = Array(bytes[..<min(limit, end)]) }
        tail = Array(bytes[max(0, end - limit)..<end])
        offset = base + Int64(end)
        wantedBytes = limits.readBytes
    }

    /// Decides how the next step goes on behind what is unfinished in `bytes` from index `start` on.
    ///
    /// - Parameter isStuck: the buffer was too small for a single line.
    private mutating func leave(
        _ bytes: UnsafeRawBufferPointer, from start: Int, at base: Int64, isStuck: Bool
    ) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let end = base + Int64(bytes.count)
        let before = { (index: Int) in Array(bytes[max(0, index - TailPosition.fingerprintBytes)..<index]) }
        if let pending = unfinished, pending.isOverlong {
            if !rest.isEmpty {
                unfinished = Unfinished(
                    start: pending.start, resume: end, before: before(bytes.count), isOverlong: true)
            }
            return
        }
        let content = LineText.withoutLeadingNULs(rest)
        let contentStart = bytes.count - content.count
        if content.count > limits.maximumLineBytes {
            unfinished = Unfinished(
                start: base + Int64(contentStart), resume: end, before: before(bytes.count), isOverlong: true)
            wantedBytes = limits.readBytes
        } else if contentStart - start > Self.negligibleBytes {
            let resume = base + Int64(contentStart)
            unfinished = Unfinished(
                start: resume, resume: resume, before: before(contentStart), isOverlong: false)
        } else if isStuck {
            wantedBytes = min(
                wantedBytes * 2, limits.maximumLineBytes + Self.negligibleBytes + limits.readBytes)
        }
    }
}
