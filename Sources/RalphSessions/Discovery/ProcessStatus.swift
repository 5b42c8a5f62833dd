import Foundation

/// One line of `/proc/PID/stat` (proc(5)).
///
/// Layout: `pid (name) state ppid pgrp session … utime stime … starttime vsize rss …`, fields 14, 15, 22 and 24; the name
/// may hold anything, also blanks, parentheses and line ends.
package struct ProcessStatus: Sendable, Equatable {
    package let pid: Int32
    /// The command name, cut to 15 bytes by the system.
    package let name: String
    /// Ended and not reaped yet, or about to vanish.
    package let isOver: Bool
    package let parent: Int32
    package let group: Int32
    package let session: Int32
    /// Clock ticks of processor time since it began, its own and the system's for it.
    package let ticks: UInt64
    /// When it began, clock ticks since boot.
    package let startTicks: UInt64
    /// Pages in memory.
    package let residentPages: UInt64

    private static let maximumBytes = 4096

    /// The process of this number; `nil` where there is none, or none that can be looked at.
    package init?(pid: Int32) {
        // Whoever must tell these apart asks below.
        guard let found = try? Self.find(pid: pid) else { return nil }
        self = found
    }

    /// The process of this number; `nil` where there is none, or no `/proc`.
    ///
    /// - Throws: ``UnreadableFile`` for want of a descriptor, say: whether there is one is not known.
    package static func find(pid: Int32) throws(UnreadableFile) -> ProcessStatus? {
        guard pid > 0 else { return nil }
        let path = "/proc/\(pid)/stat"
        switch BoundedFile.findSystemFile(path, maximumBytes: maximumBytes) {
        case .content(let stat): return ProcessStatus(stat: stat)
        case .none: return nil
        case .unreadable(let reason): throw UnreadableFile(path, reason)
        }
    }

    /// - Parameter stat: the content of a `/proc/PID/stat`; `nil` for what is no such line.
    package init?(stat: [UInt8]) {
        guard let open = stat.firstIndex(of: UInt8(ascii: "(")),
            let close = stat.lastIndex(of: UInt8(ascii: ")")), open < close,
            let pid = Int32(SessionDirectory.trimmed(String(decoding: stat[..<open], as: UTF8.self)))
        else { return nil }
        let fields = stat[(close + 1)...].split(separator: 0x20, maxSplits: 22)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 21, let parent = Int32(fields[1]), let group = Int32(fields[2]),
            let session = Int32(fields[3]), let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let startTicks = UInt64(fields[19])
        else { return nil }
        self.pid = pid
        name = String(decoding: stat[(open + 1)..<close], as: UTF8.self)
        isOver = ["Z", "X", "x"].contains(fields[0])
        self.parent = parent
        self.group = group
        self.session = session
        ticks = user &+ system
        self.startTicks = startTicks
        residentPages = UInt64(fields[21]) ?? 0  // the system writes it with a sign
    }
}
