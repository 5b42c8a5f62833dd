import Foundation
import RalphSessions

/// Whether a process is the Ralph of a session, and not one that only a file says so of: who can write in a
/// workspace can put any number into its lock file or its registry, or let another program hold the lock.
///
/// A Ralph works in its workspace and never leaves it; that of a worktree loop may be in the main one (contract
/// 4.7, 5.1). It holds the lock as the system lists it, or is a `ralph run` by its command line.
struct RunProof {
    let session: DiscoveredSession
    /// The program that runs are started with here, whatever it is called.
    let program: String?

    /// - Parameter holdsLock: whether the system itself names the process as the holder of the session's lock.
    func covers(_ process: ProcessIdentity, holdsLock: Bool) -> Bool {
        guard mayBeRun(process) else { return false }
        return holdsLock || runsLoop(process) && !isMainRun(process)
    }

    /// Whether the process works here and is a Ralph by its command line; for a worktree it may be that of the main
    /// workspace. For the ingest thread: the system's locks take too long.
    func isLoop(_ process: ProcessIdentity) -> Bool { mayBeRun(process) && runsLoop(process) }

    private func mayBeRun(_ process: ProcessIdentity) -> Bool {
        guard process.pid > 1, process.isAlive, !Self.ownLine.contains(process.pid) else { return false }
        return place(of: process) != nil
    }

    /// In which workspace the process works: the session's, or the main one of its worktree; `nil`: in neither.
    func place(of process: ProcessIdentity) -> String? {
        let places = [session.directory.workspace, session.mainWorkspace].compactMap { $0 }
        let place = places.first { Self.works(process.pid, in: $0) }
        return process.isAlive ? place : nil
    }

    /// Whether a worktree loop's process is that of the main workspace, whose lock tells so.
    private func isMainRun(_ process: ProcessIdentity) -> Bool {
        guard let main = session.mainWorkspace else { return false }
        var probe = LivenessProbe()
        probe.refresh()
        let directory = SessionDirectory(workspace: main)
        return probe.liveness(of: DiscoveredSession(directory: directory)).pid == process.pid
    }

    private func runsLoop(_ process: ProcessIdentity) -> Bool {
        guard let words = process.commandLine else { return false }
        return ProcessTree.runsLoop(words) || isOwnProgram(words)
    }

    /// Whether it is the program that runs are started with here, at a run.
    private func isOwnProgram(_ words: [String]) -> Bool {
        guard let program, words.prefix(2).contains(program) else { return false }
        return words.contains { $0 == "run" || $0 == "resume" }
    }

    /// Whether the process works in a directory, under whatever name it sees it: a container may have mounted it
    /// elsewhere.
    private static func works(_ pid: Int32, in workspace: String) -> Bool {
        guard let place = EntryStatus(at: "/proc/\(pid)/cwd/."),
            let wanted = EntryStatus(at: (workspace.isEmpty ? "" : workspace) + "/.")
        else { return false }
        return place.isSameFile(as: wanted)
    }

    /// This process and those above it.
    private static var ownLine: Set<Int32> {
        var line: Set<Int32> = [getpid()]
        var next = getppid()
        while next > 0, line.insert(next).inserted { next = ProcessStatus(pid: next)?.parent ?? 0 }
        return line
    }
}
