import Foundation
import RalphSessions

extension ProcessTree {
    /// Whether a ralph of this user is at work in `workspace` to merge the loop `id`: also one that waits for the lock there,
    /// of which the merge queue has no word yet (contract 5.4).
    ///
    /// - Parameter id: `nil`: any loop.
    package func isMerging(_ id: String?, in workspace: String) -> Bool {
        guard let place = EntryStatus(at: (workspace == "/" ? "" : workspace) + "/.") else { return false }
        return processes.values.contains { status in
            guard status.pid != getpid() else { return false }
            let process = ProcessIdentity(status)
            guard let words = process.commandLine, Self.runsLoop(words), let merged = process.mergedLoop,
                id == nil || merged == id,
                // It works where `ralph loops` was called, and never leaves it.
                let own = EntryStatus(at: "/proc/\(status.pid)/cwd/.")
            else { return false }
            return own.isSameFile(as: place) && process.isAlive
        }
    }
}
