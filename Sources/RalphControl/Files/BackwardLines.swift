import Foundation
import RalphSessions

/// The lines of an open file from its end to its beginning, read in blocks.
struct BackwardLines {
    private static let block = 256 * 1024
    /// A longer line is passed over.
    static let maximumLineBytes = 8 << 20

    private let file: Int32
    /// Where reading goes on, backwards.
    private var upper: Int64
    private let lower: Int64
    /// Bytes from ``upper`` on that are not given out yet.
    private var pending: [UInt8] = []
    private var isOverlong = false

    /// - Parameters:
    ///   - file: stays open as long as this value is used.
    ///   - maximumBytes: how far from the end to look.
    init(_ file: Int32, maximumBytes: Int64) {
        var status = stat()
        let size = fstat(file, &status) == 0 ? Int64(status.st_size) : 0
        self.file = file
        upper = size
        lower = max(0, size - maximumBytes)
    }

    /// The next line before those that were given, without its line feed; blank and over-long ones are left
    /// out. `nil`: the beginning, or as far as may be looked, is reached.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = pending.lastIndex(of: 0x0A) {
                let line = Array(pending[(end + 1)...])
                pending.removeSubrange(end...)
                let isWhole = !isOverlong
                isOverlong = false
                if isWhole, line.contains(where: { $0 > 0x20 }) { return line }
            } else if !readBlock() {
                // What lies before the bound is cut off, so that the first line is whole only at 0.
                let line = lower == 0 && !isOverlong ? pending : []
                pending = []
                return line.contains { $0 > 0x20 } ? line : nil
            }
        }
    }

    private mutating func readBlock() -> Bool {
        guard upper > lower else { return false }
        // NULs that a crash left make no line long; one stays, so that nothing is joined that was apart.
        let nuls = pending.prefix { $0 == 0 }.count
        if nuls > 1 { pending.removeFirst(nuls - 1) }
        if pending.count > Self.maximumLineBytes {
            pending = []
            isOverlong = true
        }
        let start = max(lower, upper - Int64(Self.block))
        // Unreadable, or shorter than it was: somebody cut the file, and what it says by now is not known.
        guard let bytes = try? BoundedFile.part(of: file, at: start, count: Int(upper - start)),
            bytes.count == Int(upper - start)
        else {
            upper = lower
            return false
        }
        upper = start
        pending = bytes + pending
        return true
    }
}
