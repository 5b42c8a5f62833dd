/// A run that has registered itself.
package struct StartedRun: Sendable {
    /// For a run in a worktree that of the worktree's session.
    package let record: RunRecord
    /// The process that was spawned for another session than the controller's own: who controls that one reaps it.
    package let child: ProcessHandle?
}
