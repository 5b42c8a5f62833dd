import Foundation
import RalphSessions

/// One line of `/proc/PID/stat` (proc(5)).
///
/// Layout: `pid (name) state ppid pgrp session …`, the start is field 22; the name may hold anything, also
/// blanks, parentheses and line ends.
struct ProcessStatus: Sendable, Equatable {
    var pid: Int32
    /// The command name, cut to 15 bytes by the system.
    var name: String
    /// Ended and not reaped yet, or about to vanish.
    var isOver: Bool
    var parent: Int32
    var group: Int32
    var session: Int32
    /// Clock ticks since boot.
    var startTicks: UInt64

    private static let maximumBytes = 4096

    /// The process of this number; `nil` where there is none, or none that can be looked at.
    init?(pid: Int32) {
        // Whoever must tell these apart asks below.
        guard let found = try? Self.find(pid: pid) else { return nil }
        self = found
    }

    /// The process of this number; `nil` where there is none, or no `/proc`.
    ///
    /// - Throws: ``UnreadableFile`` for want of a descriptor, say: whether there is one is not known.
    static func find(pid: Int32) throws(UnreadableFile) -> ProcessStatus? {
        guard pid > 0 else { return nil }
        let path = "/proc/\(pid)/stat"
        switch BoundedFile.findSystemFile(path, maximumBytes: maximumBytes) {
        case .content(let stat): return ProcessStatus(stat: stat)
        case .none: return nil
        case .unreadable(let reason): throw UnreadableFile(path, reason)
        }
    }

    /// - Parameter stat: the content of a `/proc/PID/stat`.
    init?(stat: [UInt8]) {
        guard let open = stat.firstIndex(of: UInt8(ascii: "(")),
            let close = stat.lastIndex(of: UInt8(ascii: ")")), open < close,
            let pid = Int32(SessionDirectory.trimmed(String(decoding: stat[..<open], as: UTF8.self)))
        else { return nil }
        let fields = stat[(close + 1)...].split(separator: 0x20, maxSplits: 20)
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 19, let parent = Int32(fields[1]), let group = Int32(fields[2]),
            let session = Int32(fields[3]), let startTicks = UInt64(fields[19])
        else { return nil }
        self.pid = pid
        name = String(decoding: stat[(open + 1)..<close], as: UTF8.self)
        isOver = ["Z", "X", "x"].contains(fields[0])
        self.parent = parent
        self.group = group
        self.session = session
        self.startTicks = startTicks
    }
}
