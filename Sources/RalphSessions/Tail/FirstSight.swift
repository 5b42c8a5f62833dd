import RalphWire

/// Where to begin with a file that was never read before.
enum FirstSight {
    /// The position before the newest `lines` lines of the file at `path`, and how many there are.
    ///
    /// - Returns: the file's first byte if nothing is there yet.
    static func position(
        before lines: Int, of path: String, limits: TailLimits, pool: FilePool
    ) throws(TailError) -> (position: TailPosition, lines: Int) {
        let file: OpenFile
        do throws(TailError) {
            file = try OpenFile(path)
        } catch {
            if case .missing = error { return (TailPosition(), 0) }
            throw error
        }
        let found = try BackwardScan.newest(
            lines, of: file, before: try file.status().size, maximumBytes: limits.firstSightBytes,
            buffer: pool.buffer, block: limits.readBytes)
        return (try position(at: found.offset, in: file), found.lines)
    }

    /// The first line of the file at `path` without its LF, at most `maximumBytes` of it.
    static func firstLine(of path: String, maximumBytes: Int = 64 * 1024) throws(TailError) -> [UInt8] {
        let bytes = try OpenFile(path).bytes(at: 0, count: maximumBytes)
        return Array(bytes.prefix { $0 != LineText.lineFeed })
    }

    /// The position behind the last line that ends in the first `end` bytes of the file at `path`; its first byte if it
    /// has fewer, or others than those that `marks` are of.
    ///
    /// - Throws: ``TailError/returning(path:)`` for one that has fewer, but no others as far as can be told.
    static func position(
        behind end: Int64, of path: String, marks: Marks, limits: TailLimits, pool: FilePool
    ) throws(TailError) -> TailPosition {
        let file = try OpenFile(path)
        guard try file.status().size >= end else {
            let line = try fingerprint(ofFirstLineIn: file)
            if let known = marks.firstLine, line == 0 || line == known { throw .returning(path: path) }
            return TailPosition()
        }
        if let known = marks.end, try fingerprint(of: file, before: end) != known { return TailPosition() }
        let found = try BackwardScan.newest(
            0, of: file, before: end, maximumBytes: limits.firstSightBytes, buffer: pool.buffer,
            block: limits.readBytes)
        return try position(at: found.offset, in: file)
    }

    /// A number for the first line of `file`, or its first 64 KiB; 0: the line is not finished.
    static func fingerprint(ofFirstLineIn file: OpenFile) throws(TailError) -> UInt64 {
        let maximumBytes = 64 * 1024
        let line = try file.bytes(at: 0, count: maximumBytes)
        let whole = line.count == maximumBytes ? maximumBytes : nil
        guard let end = line.firstIndex(of: LineText.lineFeed) ?? whole else { return 0 }
        return max(1, line[..<end].fnv1a)
    }

    /// A number for the last bytes of `file` before `end`.
    private static func fingerprint(of file: OpenFile, before end: Int64) throws(TailError) -> UInt64 {
        let count = min(end, Int64(TailPosition.fingerprintBytes))
        return try file.bytes(at: end - count, count: Int(count)).fnv1a
    }

    /// What a tail that had read up to `offset` would remember.
    private static func position(at offset: Int64, in file: OpenFile) throws(TailError) -> TailPosition {
        var position = TailPosition()
        position.identity = file.identity
        position.offset = offset
        let count = Int(min(offset, Int64(TailPosition.fingerprintBytes)))
        position.head = try file.bytes(at: 0, count: count)
        position.tail = try file.bytes(at: offset - Int64(count), count: count)
        return position
    }
}

extension FirstSight {
    /// What a file of the archive is known by: fingerprints, as its numbers may be those of another one later. `nil`: not
    /// known, as of those that older versions saw first.
    struct Marks {
        /// See ``FirstSight/fingerprint(ofFirstLineIn:)``.
        var firstLine: UInt64?
        /// Of the last bytes before the size that it had.
        var end: UInt64?
    }

    /// How many bytes the file at `path` has, and what it is known by.
    static func marks(of path: String) throws(TailError) -> (size: Int64, marks: Marks) {
        let file = try OpenFile(path)
        let size = try file.status().size
        let line = try fingerprint(ofFirstLineIn: file)
        return (size, Marks(firstLine: line, end: try fingerprint(of: file, before: size)))
    }
}

// Stored beside the sizes at first sight (``TailPosition/firstSizesKey``), under names that no file has.
extension FirstSight.Marks {
    private static func firstLineKey(of file: String) -> String { file + "/" }
    private static func endKey(of file: String) -> String { file + "//" }

    /// Those of `file` among `sizes`.
    init(of file: String, in sizes: [String: Int64]) {
        firstLine = sizes[Self.firstLineKey(of: file)].map(UInt64.init(bitPattern:))
        end = sizes[Self.endKey(of: file)].map(UInt64.init(bitPattern:))
    }

    /// Adds those of `file` to `sizes`, in place of those there.
    func add(to sizes: inout [String: Int64], of file: String) {
        sizes[Self.firstLineKey(of: file)] = firstLine.map(Int64.init(bitPattern:))
        sizes[Self.endKey(of: file)] = end.map(Int64.init(bitPattern:))
    }
}

extension FirstSight {
    /// What is known of a file of the archive that had nothing when the session was first seen, or came later, as when it
    /// is put back. It may still be copied when it is met: what it had then is old, and what is dated before.
    struct Latecomer {
        /// The size that it had.
        var size: Int64
        /// Lines that are dated before this are old, milliseconds since 1970.
        var newestOld: Int64
    }
}

// Stored as ``FirstSight/Marks`` are.
extension FirstSight.Latecomer {
    private static func sizeKey(of file: String) -> String { file + "///" }
    private static func timeKey(of file: String) -> String { file + "////" }

    /// The file at `path` as it is met, at `time` (milliseconds since 1970).
    init(at path: String, time: Int64 = WallClock.milliseconds()) {
        size = EntryStatus(at: path)?.size ?? 0
        newestOld = time - SessionNarrator.clockSkewMilliseconds
    }

    /// That of `file` among `sizes`; `nil`: there is none.
    init?(of file: String, in sizes: [String: Int64]) {
        guard let size = sizes[Self.sizeKey(of: file)], let time = sizes[Self.timeKey(of: file)] else {
            return nil
        }
        (self.size, newestOld) = (size, time)
    }

    /// Adds it to `sizes`, as that of `file`.
    func add(to sizes: inout [String: Int64], of file: String) {
        sizes[Self.sizeKey(of: file)] = size
        sizes[Self.timeKey(of: file)] = newestOld
    }
}
