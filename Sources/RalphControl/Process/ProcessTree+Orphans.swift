import Foundation
package import RalphSessions

extension ProcessTree {
    /// What agents of the run in `directory` have left behind: processes whose environment names it, and all
    /// below them, that have no living ralph above (contract 4.1).
    ///
    /// Ralph gives its agents `RALPH_WORKSPACE_ROOT` and `RALPH_EVENTS_FILE` (contract 4.7). Processes whose
    /// environment may not be read, and those of other users, are not found. This process and those above it are never among them.
    package func orphans(of directory: SessionDirectory) -> [ProcessGroup] {
        var marks = WorkspaceMarks(directory)
        let keepers = keepers(of: directory)
        var spared = Set(ancestors(of: getpid()))
        spared.insert(getpid())
        var found: [Int32: ProcessStatus] = [:]
        for (pid, status) in processes where found[pid] == nil && !spared.contains(pid) {
            guard let environment = ProcessFile.bytes(pid: pid, "environ"), marks.match(environment),
                !isKept(pid, by: keepers), ProcessIdentity(status).uid == geteuid()
            else { continue }
            for status in [status] + statuses(below: ProcessIdentity(status))
            where !spared.contains(status.pid) && !isKept(status.pid, by: keepers) {
                found[status.pid] = status
            }
        }
        return Self.groups(of: Array(found.values))
    }

    /// The ralphs that work in the workspace of `directory` or in a worktree of it: whoever holds the lock,
    /// and the loops that are registered.
    private func keepers(of directory: SessionDirectory) -> Set<Int32> {
        var probe = LivenessProbe()
        probe.refresh()
        var keepers: Set<Int32> = []
        if let pid = probe.liveness(of: DiscoveredSession(directory: directory)).pid { keepers.insert(pid) }
        for main in [directory, directory.mainOfWorktree].compactMap({ $0 }) {
            for loop in probe.worktreeLoops(of: main) where processes[loop.pid] != nil {
                keepers.insert(loop.pid)
            }
        }
        keepers.remove(getpid())
        return keepers
    }

    /// Whether `pid` is one of `keepers` or below one, or is or is below something else that runs loops: an agent may have
    /// started a run elsewhere, which bears its marks and outlives it.
    private func isKept(_ pid: Int32, by keepers: Set<Int32>) -> Bool {
        ([pid] + ancestors(of: pid)).contains { keepers.contains($0) || ($0 != getpid() && runsLoop($0)) }
    }

    /// Whether the command line is that of a ralph at work. A ralph whose lock is not seen (an old version, a
    /// file system that lists none) keeps its agents by this alone; nothing is ever signalled for its name.
    private func runsLoop(_ pid: Int32) -> Bool {
        guard let bytes = ProcessFile.bytes(pid: pid, "cmdline") else { return false }
        return Self.runsLoop(bytes.split(separator: 0).prefix(64).map { String(decoding: $0, as: UTF8.self) })
    }

    /// Whether a command line, program first, is that of a ralph at work.
    static func runsLoop(_ words: [String]) -> Bool {
        // The word may be the second: an interpreter or a loader may stand before the program.
        guard let index = words.prefix(2).firstIndex(where: isRalph) else { return false }
        return words[(index + 1)...].contains { $0 == "run" || $0 == "resume" }
    }

    private static func isRalph(_ word: String) -> Bool {
        (word as NSString).lastPathComponent.hasPrefix("ralph")
    }

    /// The parents of `pid`, nearest first.
    private func ancestors(of pid: Int32) -> [Int32] {
        var found: [Int32] = []
        var next = processes[pid]?.parent ?? 0
        while next > 0, !found.contains(next) {
            found.append(next)
            next = processes[next]?.parent ?? 0
        }
        return found
    }
}
