import RalphSessions

/// What `/proc` and the session's files say of a run at one moment.
struct RunFacts: Sendable {
    /// The process that holds the session; `nil`: nobody, or one that cannot be seen.
    var holder: ProcessIdentity?
    /// The number of a process of another user that works here and that the system does not show.
    var hidden: Int32?
    var observation = RunState.Observation()
    /// Whether anybody holds the lock, proven to be this session's Ralph or not: nothing is started or written
    /// beside it.
    var isLockTaken = false
    /// Whether what the lock's file says is of another process than the one that holds it, which has yet to write its own.
    var isLockOfAnother = false
    /// Whether a run that asks may wait for the answer: it is no loop in a worktree, or one that goes on there by its own lock.
    var mayWait = false
    /// When the run of the lock started, milliseconds since 1970.
    var started: Int64?

    var isAlive: Bool { observation.isAlive }

    /// Whether `process` is gone and is not the one that held the lock, which can have ended since that was looked at.
    func showEnd(of process: ProcessIdentity) -> Bool { !process.isAlive && process != holder }
}
