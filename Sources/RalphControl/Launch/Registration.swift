package import RalphSessions

/// As what a run registered itself (contract 3.1, 5.1).
package enum Registration: Sendable, Equatable {
    /// It holds the lock of its workspace.
    case primary(SessionDirectory)
    /// It runs in a worktree of its own and is named in `loops.json`.
    case worktree(SessionDirectory, loopID: String)
}
