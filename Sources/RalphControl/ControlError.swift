package import RalphWire

/// Why a command to a session was refused or failed.
package enum ControlError: Error, Sendable, Equatable {
    /// No `ralph` was found, or it is no program: nothing can be started. The text says what to install.
    case ralphMissing(String)
    /// The process ended, or did nothing in time, before its run registered; the last line it wrote to stderr.
    case failedToSpawn(String)
    /// The workspace's lock is held; the session that runs there.
    case alreadyRunning(SessionID)
    /// The session's run is paused by its end, or may be soon, and what was to begin beside it would take its place.
    case alreadyPaused(SessionID)
    /// What a run that died has left works on in the workspace, and would beside the new one; the session and the processes.
    case agentsAtWork(SessionID, [Int32])
    /// A run beside the session's one would begin with a copy of this control file, and be paused or ended by it; a name in the
    /// session's directory.
    case wouldInherit(file: String)
    /// The run could not be continued once it has ended; what that needs and is not there, or cannot be used.
    case notContinuable(String)
    /// The run is over; the status word of http-contract 3.1.
    case notRunning(status: String)
    /// The run belongs to another user of this machine; `nil`: one that the system does not tell.
    case foreignProcess(pid: Int32, uid: UInt32?)
    /// The session's layout is not known, so nothing is written to it.
    case readOnly
    /// A file of the session could not be written; path and reason.
    case unwritable(path: String, reason: String)
    /// The events pointer leads out of the workspace.
    case unsafePath(String)
    /// A topic that would end or corrupt the run (contract 2.5); what it would do.
    case topicRefused(topic: String, reason: String)
    /// Ralph drops events of this topic where a hat is at work that may not publish it (contract 2.5).
    case outsideHatScope(topic: String)
    /// What is to be appended would be a longer line than is ever read, escaped as JSON is.
    case rowTooLarge(bytes: Int, limit: Int)
    /// The process did not end although everything was tried.
    case failedToStop(String)
    /// The run has not taken its lock, or has not begun to read what is appended for it.
    case starting
    /// The run ends by its pause, and only when it has can it be continued.
    case ending
    /// As many commands as may wait for this session are waiting, or this one waited for too long behind others.
    case busy
    /// The command was overtaken by a stop.
    case superseded
    /// Whoever asked for the command may not any more, now that its turn has come.
    case revoked
}

extension ControlError {
    /// What logs may say of it: nothing that a program or a person said, which may be a prompt.
    package var kind: String {
        switch self {
        case .ralphMissing: "ralphMissing"
        case .failedToSpawn: "failedToSpawn"
        case .failedToStop: "failedToStop"
        case .notContinuable: "notContinuable"
        case .topicRefused: "topicRefused"
        default: "\(self)"
        }
    }
}
