/// Whether a run works in a session, and which control files are there (contract 3.3).
package struct SessionLiveness: Sendable, Equatable {
    /// Whether a process holds the session: `loop.lock`, or for a worktree its living entry in `loops.json`.
    package var lockHeld = false
    /// That process; `nil` unless ``lockHeld``, because a stale number may be anybody's.
    package var pid: Int32?
    /// Whether the system itself names ``pid`` as the holder of the session's lock; else a file does, which anybody
    /// may have written who can write in the workspace.
    package var isHolderCertain = false
    /// Whether that is its own lock, and no worktree loop's entry: the run is a primary one (contract 4.5).
    package var isLockOwn = false
    /// When the run of the lock file started, in milliseconds since 1970; stays when the run has ended.
    package var lockStarted: Int64?
    /// The beginning of the run's prompt; stays when the run has ended.
    package var prompt: String?
    /// Whether `suspend-state.json` says so, and not of a run that was killed before this one (``SuspendState``); means
    /// something only while ``lockHeld`` (contract 3.3).
    package var isSuspended = false
    /// Whether `stop-requested` exists.
    package var isStopRequested = false
    /// Whether `pause-requested` exists, the file of our gate (contract 4.4).
    package var isPauseRequested = false
    /// When `api/robot-question.json` was written, nanoseconds since 1970; `nil`: it is not there, or nobody
    /// is alive to wait for an answer (contract 6.6).
    package var questionWrittenAt: Int64?

    package init() {}
}
