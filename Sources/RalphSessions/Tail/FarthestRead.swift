import RalphWire

/// How far a file was read that was cut since, and what it looked like there: what was cut off may come back, as when git
/// changes files back or the right backup takes the place of a wrong one.
///
/// Known as long as nothing behind the cut is read.
package struct FarthestRead: Sendable, Hashable {
    /// See ``TailPosition/generation``; it goes on when all is back, since it counts no line that was given meanwhile.
    package var generation = 0
    /// See ``TailPosition/offset``.
    package var offset: Int64 = 0
    /// See ``TailPosition/firstLine``.
    package var firstLine: UInt64 = 0
    /// See ``TailPosition/head``.
    package var head: [UInt8] = []
    /// See ``TailPosition/tail``.
    package var tail: [UInt8] = []
    /// When that it was cut was taken up, milliseconds since 1970: a line of later is none of those that were cut off.
    package var time: Int64 = 0

    package init() {}
}

extension FarthestRead {
    /// What `reader` has read.
    init(
        _ reader: LineReader, generation: Int, firstLine: UInt64, time: Int64 = WallClock.milliseconds()
    ) {
        (self.generation, self.firstLine, self.time) = (generation, firstLine, time)
        (offset, head, tail) = (reader.offset, reader.head, reader.tail)
    }

    /// Whether all of it is among the first `size` bytes of `file`.
    func isBack(in file: OpenFile, _ size: Int64, _ ages: LineAges) throws(TailError) -> Bool {
        guard size >= offset, try isBegun(in: file) else { return false }
        guard try file.bytes(at: offset - Int64(tail.count), count: tail.count) == tail else { return false }
        // Rows of a run that does the same again may end alike.
        return try !ages.endsNew(file, offset, time)
    }

    /// Whether `file` begins as it did, as far as that can be told.
    func isBegun(in file: OpenFile) throws(TailError) -> Bool {
        guard head.starts(with: try file.bytes(at: 0, count: head.count)) else { return false }
        let line = try FirstSight.fingerprint(ofFirstLineIn: file)
        return line == 0 || firstLine == 0 || line == firstLine
    }
}
