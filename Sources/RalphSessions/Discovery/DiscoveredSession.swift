package import RalphWire

/// A session directory that was found, and the facts about it that its directory tells.
package struct DiscoveredSession: Sendable, Equatable {
    package let directory: SessionDirectory
    /// The text of `current-loop-id`; it changes with every fresh run.
    package let loopID: String?
    /// The canonical main workspace of a session below `.worktrees/`.
    package let worktreeOf: String?
    /// Whether nothing may ever be written to this session, because its layout is not known.
    package let isReadOnly: Bool
    /// Absolute paths of the output files of `--rpc` runs, to be tailed as a second source.
    package let agentOutput: [String]

    package var id: SessionID { directory.id }

    /// Where the run of a worktree is registered: ``worktreeOf``, or what the path says where no root reaches the main
    /// workspace. `nil` for what else lies in a worktree: an entry of `loops.json` is the run of the `.ralph` there alone.
    package var mainWorkspace: String? {
        guard directory.layout == .ralph else { return nil }
        return worktreeOf ?? directory.mainOfWorktree?.workspace
    }

    /// Whether its runs take its own lock. A worktree's loop takes none (contract 1.2); a run that was begun in a worktree
    /// does, and has the id of a primary. One that goes on with a loop does as well, which its id does not tell.
    package var takesLock: Bool {
        mainWorkspace == nil || loopID.map(SessionDirectory.isPrimaryLoopID) == true
    }

    /// Whether a run that asks may wait for the answer: a worktree's loop never does (contract 6.5).
    package func mayWait(_ liveness: SessionLiveness) -> Bool {
        mainWorkspace == nil || liveness.isLockOwn
    }

    /// Whether `workspace` is the main workspace of this one.
    package func isWorktree(of workspace: String) -> Bool { worktreeOf?.isPath(workspace) == true }

    package init(
        directory: SessionDirectory, loopID: String? = nil, worktreeOf: String? = nil,
        isReadOnly: Bool = false, agentOutput: [String] = []
    ) {
        self.directory = directory
        self.loopID = loopID
        self.worktreeOf = worktreeOf
        self.isReadOnly = isReadOnly
        self.agentOutput = agentOutput
    }
}
