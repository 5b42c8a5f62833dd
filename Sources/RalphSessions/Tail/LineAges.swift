import RalphWire

/// Tells by their dates which lines of a file were written before a moment.
struct LineAges {
    /// Whether the file is output of a run, of whose lines few say when they were written.
    let isOutput: Bool
    let limits: TailLimits
    let buffer: ReadBuffer
    /// A date behind this, milliseconds since 1970, tells nothing.
    var latest = Int64.max

    /// Whether the last line in the first `size` bytes of `file` was written before `time`, milliseconds since 1970.
    func endsOld(_ file: OpenFile, _ size: Int64, _ time: Int64) throws(TailError) -> Bool {
        try isEndOlder(file, size, than: time) ?? isOutput
    }

    /// Whether that line says that it was written at `time` or later.
    func endsNew(_ file: OpenFile, _ size: Int64, _ time: Int64) throws(TailError) -> Bool {
        try isEndOlder(file, size, than: time) == false
    }

    /// Behind the last of the newest lines in the first `size` bytes of `file` that were written by `time`, milliseconds since
    /// 1970; `nil`: the very last one was, or does not say, or tells a time to come, or no time is known.
    func oldEnd(of file: OpenFile, _ size: Int64, _ time: Int64) throws(TailError) -> Int64? {
        var ages = self
        ages.latest = WallClock.milliseconds()
        guard time > 0, !isOutput, try ages.endsNew(file, size, time + 1) else { return nil }
        let start = try BackwardScan.newest(
            limits.firstSightLines, of: file, before: size, maximumBytes: limits.firstSightBytes,
            buffer: buffer, block: limits.readBytes
        ).offset
        return try ages.oldLines(of: file, behind: start, to: size, time + 1).end
    }

    private func isEndOlder(
        _ file: OpenFile, _ size: Int64, than time: Int64
    ) throws(TailError) -> Bool? {
        let start = try BackwardScan.newest(
            1, of: file, before: size, maximumBytes: Int64(limits.maximumLineBytes), buffer: buffer,
            block: limits.readBytes
        ).offset
        let line = try file.bytes(at: start, count: Int(min(size - start, Int64(limits.maximumLineBytes))))
        return line.withUnsafeBytes { isOlder($0, than: time) }
    }

    /// Behind the last of the lines that were written before `time`, milliseconds since 1970, of those that end behind
    /// `known`, and whether one follows that was not. A line that does not say when is as old as the one behind it, in a run's
    /// output as the one before it.
    func oldLines(
        of file: OpenFile, behind known: Int64, to size: Int64, _ time: Int64
    ) throws(TailError) -> (end: Int64, isNew: Bool) {
        let start = try BackwardScan.newest(
            0, of: file, before: known, maximumBytes: limits.firstSightBytes, buffer: buffer,
            block: limits.readBytes
        ).offset
        var lines = LineReader(offset: start, limits: limits)
        var end = start
        var isNew = false
        while !isNew, lines.offset - start < limits.firstSightBytes {
            let step = try lines.step(file, buffer: buffer, end: size) { item in
                guard !isNew, case .line(let line, let offset) = item else { return }
                let isOld = isOlder(line, than: time) ?? (isOutput ? true : nil)
                if isOld == true { end = offset + Int64(line.count) + 1 }
                isNew = isOld == false
            }
            guard case .read(_, atEnd: false) = step else { break }
        }
        if isNew { return (end, true) }
        let (rest, _, length) = try lines.unfinishedLine(of: file, end: size)
        // Where not all was looked through, the newest line tells; of an over-long one that goes on nothing is known.
        guard rest.count == length else {
            guard lines.offset - start >= limits.firstSightBytes else { return (end, false) }
            return (end, try !endsOld(file, size, time))
        }
        isNew = rest.withUnsafeBytes { LineText.isWholeObjects($0) && isOlder($0, than: time) == false }
        return (end, isNew)
    }

    /// Whether `line` was written before `time`, milliseconds since 1970; `nil`: it does not say when.
    private func isOlder(_ line: UnsafeRawBufferPointer, than time: Int64) -> Bool? {
        let isOlder = isOutput ? AgentLine.isOlder(line, than: time) : EngineLine.isOlder(line, than: time)
        guard isOlder == false, latest < .max else { return isOlder }
        return EngineLine.isOlder(line, than: latest + 1) == true ? false : nil
    }
}
