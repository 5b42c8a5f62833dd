import Foundation
import RalphSessions

/// Where the figures of the machine are read from; another place in tests.
struct HostFiles: Sendable {
    /// Further processes are not looked at.
    static let maximumProcesses = 20_000
    private static let maximumFileBytes = 4 << 20
    private static let maximumStatBytes = 4096

    /// proc(5).
    var proc = "/proc"
    /// cgroups(7), version 2.
    var controlGroups = "/sys/fs/cgroup"
    /// A directory on the file system whose room is shown.
    var diskPath: String

    func read(_ name: String) -> [UInt8]? {
        BoundedFile.readSystemFile("\(proc)/\(name)", maximumBytes: Self.maximumFileBytes)
    }

    /// The processes that live; some vanish between the list and the look, which is normal.
    func processes() -> [Int32: ProcessStatus] {
        // Without the list nothing is known of any process.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: proc)) ?? []
        var found: [Int32: ProcessStatus] = [:]
        for pid in names.lazy.compactMap({ Int32($0) }).prefix(Self.maximumProcesses) {
            guard
                let stat = BoundedFile.readSystemFile(
                    "\(proc)/\(pid)/stat", maximumBytes: Self.maximumStatBytes),
                let line = ProcessStatus(stat: stat), !line.isOver
            else { continue }
            found[line.pid] = line
        }
        return found
    }

    /// Memory of our own control group if it has a limit, else of the machine.
    func memory() -> MemoryFigures? {
        guard let memory = read("meminfo").flatMap(MemoryFigures.init(meminfo:)) else { return nil }
        guard let group = ownControlGroup() else { return memory }
        func file(_ name: String) -> [UInt8]? {
            BoundedFile.readSystemFile("\(group)/\(name)", maximumBytes: Self.maximumFileBytes)
        }
        return memory.limited(
            limit: file("memory.max"), current: file("memory.current"), stat: file("memory.stat"))
    }

    /// The line `0::/path` of `self/cgroup`, below where groups are mounted.
    private func ownControlGroup() -> String? {
        for line in (read("self/cgroup") ?? []).split(separator: 0x0A) where line.starts(with: "0::/".utf8) {
            let path = String(decoding: line.dropFirst(3), as: UTF8.self)
            return path.contains("..") ? nil : controlGroups + path
        }
        return nil
    }
}
