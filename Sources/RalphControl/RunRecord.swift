package import RalphWire

/// What we know of the run that we control in a session: stored with each change, so that a restarted server
/// goes on with it.
package struct RunRecord: Sendable, Codable, Equatable {
    /// Where the run stands, as far as commands go.
    package enum Phase: String, Sendable, Codable, CaseIterable {
        /// Spawned, or about to be; not registered yet.
        case starting
        case running
        /// A pause was asked for and the iteration goes on.
        case pausing
        /// Paused with the process alive (`suspend-state.json`).
        case suspended
        /// Paused by its end: `resume` starts it again with `--continue`.
        case halted
        /// A resume was asked for and is not seen yet.
        case resuming
        case stopping
        /// Over; by itself, by a stop, or by a death.
        case ended
    }

    /// A request and when it took effect, milliseconds since 1970.
    package struct Request: Sendable, Codable, Equatable {
        package var requestedAt: Int64
        package var effectiveAt: Int64?
        /// Who asked, as the command record says it.
        package var by: String
        /// Of a pause: the agents of the iteration were ended for it; `nil`: they were not, or a version that did not note it
        /// stored the record.
        var isUrgent: Bool?

        package init(requestedAt: Int64, effectiveAt: Int64? = nil, by: String) {
            self.requestedAt = requestedAt
            self.effectiveAt = effectiveAt
            self.by = by
        }
    }

    /// How a process ended; `nil` members are not known (it was no child of this server).
    package struct Exit: Sendable, Codable, Equatable {
        package var code: Int32?
        package var signal: Int32?
        package var at: Int64
        /// The last line that the program wrote to stderr, where it failed by itself; at most 200 characters.
        package var message: String?

        package init(code: Int32? = nil, signal: Int32? = nil, at: Int64) {
            self.code = code
            self.signal = signal
            self.at = at
        }
    }

    /// Files that a run goes by, absolute paths; `nil`: there was none.
    package struct Files: Sendable, Codable, Equatable {
        /// Its configuration, also one that was not named to it.
        package var config: String?
        package var hats: String?
    }

    /// The session directory's id; see ``SessionID``.
    package var session: String
    /// The canonical session directory (`…/.ralph`).
    package var directory: String
    /// `nil`: the run was started elsewhere, and what is known is its command line.
    package var plan: LaunchPlan?
    /// The command line to continue with when ``plan`` is `nil`: that of the process, as `/proc` told it.
    package var commandLine: [String]?
    /// Where the process of the run works, as it was started; `nil`: in the session's workspace, or a version that did not
    /// note it stored the record.
    package var workingDirectory: String?
    /// `RALPH_CONFIG` of the process of ``commandLine``; `nil`: it had none, or a version that did not note it stored the
    /// record, which the first look completes while the process lives.
    package var standardConfig: String?
    /// Whether the environment of that process may be read, so that ``standardConfig`` tells; `nil`: there is none, or a version
    /// that did not note it stored the record.
    var isEnvironmentKnown: Bool?
    /// What was there when the run began or was found; `nil`: a version that did not note it stored the record.
    package var files: Files?
    /// `nil` before the spawn and after the end.
    package var process: ProcessIdentity?
    /// Groups of agents seen below ``process``, so that an orphan can be found when it has died.
    package var agents: [ProcessGroup] = []
    /// Whether the run's configuration has our pause gate.
    package var hasGate = false
    /// Where the run's standard output goes, an absolute path; tailed as `agent` events.
    package var output: String?
    package var phase: Phase = .running
    package var pause: Request?
    package var resume: Request?
    package var stop: Request?
    /// The stop that goes on is one of a run that was paused by its end; `nil`: it is not, or a version that did not note
    /// it stored the record.
    var stopsHalted: Bool?
    /// The resume that goes on is a continuation, in a process of its own; likewise.
    var isContinuing: Bool?
    /// The run is being ended to go on anew, as one without a gate is paused; likewise.
    var isRenewed: Bool?
    /// The phase whose control file, such as the gate of a pause, is yet to be made or removed; `nil`: that is done, or a
    /// version that did not note it stored the record.
    var unfinished: Phase?
    /// The run that was paused by its end when this one was to begin, paused again should this one never do so; one at
    /// most. `nil`: none was, or a version that did not note it stored the record.
    var pausedBefore: [RunRecord]?
    package var startedAt: Int64?
    /// ``WallClock/sleptMilliseconds()`` when its process was started or found; `nil`: none is, or a version that did not note
    /// it stored the record.
    var sleptBefore: Int64?
    /// When the run was last seen alive while it was suspended, milliseconds since 1970; `nil`: never, or a version that did
    /// not note it stored the record.
    package var seenAt: Int64?
    package var exit: Exit?

    /// Whether a pause holds the run in its process; else it ends by it.
    var waitsInProcess: Bool { hasGate && isRenewed != true }

    /// Whether another process is to go on with the run, or may have to, or with the one before it should this one never
    /// begin: whoever has the lock before that removes what it would go on from (contract 1.1).
    package var needsLockAgain: Bool {
        switch phase {
        case .halted: true
        // An agent that is ended at once may say 130, and the run ends with it (contract 4.1).
        case .pausing: !waitsInProcess || pause?.isUrgent == true
        case .resuming: isContinuing == true
        case .starting: pausedBefore?.isEmpty == false
        case .running, .suspended, .stopping, .ended: false
        }
    }

    /// How long the clock of a run that began at `start` has gone at `now`, milliseconds: it stands while the machine sleeps.
    ///
    /// - Parameter slept: ``WallClock/sleptMilliseconds()``.
    func age(since start: Int64, at now: Int64, slept: Int64) -> Int64 {
        now - start - max(0, slept - (sleptBefore ?? slept))
    }

    package init(session: SessionID, directory: String) {
        self.session = session.rawValue
        self.directory = directory
    }
}
