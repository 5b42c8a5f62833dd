import RalphSessions

/// Where a run stands and what is to be done about what happens to it; pure, so that every case can be tried.
///
/// ```
///             registered            pause            suspended / ended "stopped"
///  starting ────────────▶ running ────────▶ pausing ────────▶ suspended / halted
///                            ▲                 │ resume            │ resume
///                            └─────────────────┴──── resuming ◀────┘
///  any ── stop ──▶ stopping ── process gone ──▶ ended
/// ```
struct RunState: Sendable, Equatable {
    typealias Phase = RunRecord.Phase

    /// What happens to a run.
    enum Input: Sendable, Equatable {
        /// `hasGate`: whether the run's configuration has our pause gate.
        case pauseRequested(hasGate: Bool)
        case resumeRequested
        case stopRequested
        /// It never registered, and nothing of it is left.
        case launchFailed
        case observed(Observation)
    }

    /// What `/proc` and the session's files say.
    struct Observation: Sendable, Equatable {
        /// Whether a run holds the session, whoever started it.
        var lockHeld = false
        /// Whether `suspend-state.json` is there; counts only with the lock held (contract 3.3).
        var isSuspended = false
        /// Whether another run began behind this one, and is over as well; counts only for one that is gone.
        var isFollowed = false
        /// Whether the process that we know is alive.
        var isProcessAlive = false
        /// What the last run's `loop.terminate` says; `nil`: it has none.
        var endReason: String?
        /// Whether the run that we know has our pause gate.
        var hasGate = false
        /// Whether it was launched to continue the one before.
        var isContinuation = false

        var isAlive: Bool { lockHeld || isProcessAlive }
    }

    /// What is to be done; in the order given.
    enum Action: Sendable, Equatable {
        /// Make the gate file; withdraw a resumption that was not taken yet.
        case placeGate
        case placeStopFile
        /// Take back a pause that has not come about.
        case withdrawPause
        /// Remove the gate, make the resume file.
        case requestResume
        /// Spawn `--continue`.
        case continueRun
        /// Go down the stop ladder.
        case stop
        /// Clear control files that nobody will look at any more.
        case clearStale
        /// Say that the pause took effect with the process alive.
        case tellSuspended
        /// Say that a suspended run goes on.
        case tellResumed
        /// Say that the run is over although its files do not.
        case tellEnded
        /// Another run was started here by somebody else, and may be over: what we knew of the old one is past. To be done
        /// before anything is stored.
        case adopt
        /// The command comes too late: a stop is under way.
        case refuseSuperseded
        /// The run is over.
        case refuseNotRunning
    }

    /// Whether a run that ended for `reason` ended by the pause that was asked for: by the stop file, which a run with our
    /// gate gets from somebody else only, or because its agent was ended at once and said 130 (contract 4.1).
    static func isPause(_ reason: String?, hasGate: Bool) -> Bool {
        reason == "interrupted" || reason == "stopped" && !hasGate
    }

    var phase: Phase

    init(_ phase: Phase) { self.phase = phase }

    /// Goes where `input` leads.
    ///
    /// - Returns: what to do; nothing for a request that is fulfilled already.
    mutating func handle(_ input: Input) -> [Action] {
        switch input {
        case .pauseRequested(let hasGate): pause(hasGate)
        case .resumeRequested: resume()
        case .stopRequested: stop()
        case .launchFailed: failLaunch()
        case .observed(let observation):
            observation.isAlive ? observeAlive(observation) : observeGone(observation)
        }
    }

    // MARK: Requests

    private mutating func pause(_ hasGate: Bool) -> [Action] {
        switch phase {
        case .starting, .running, .resuming:
            phase = .pausing
            return [hasGate ? .placeGate : .placeStopFile]
        case .pausing, .suspended, .halted: return []
        case .stopping: return [.refuseSuperseded]
        case .ended: return [.refuseNotRunning]
        }
    }

    private mutating func resume() -> [Action] {
        switch phase {
        case .pausing:
            phase = .running
            return [.withdrawPause]
        case .suspended:
            phase = .resuming
            return [.requestResume]
        case .halted:
            phase = .resuming
            return [.continueRun]
        case .starting, .running, .resuming: return []
        case .stopping: return [.refuseSuperseded]
        case .ended: return [.refuseNotRunning]
        }
    }

    private mutating func stop() -> [Action] {
        // Also of an ended run: an agent may have outlived it (contract 4.1).
        if phase != .ended { phase = .stopping }
        return [.stop]
    }

    // MARK: Launches

    private mutating func failLaunch() -> [Action] {
        switch phase {
        case .resuming:
            // What was paused stays paused.
            phase = .halted
            return [.clearStale]
        case .starting, .pausing, .stopping:
            phase = .ended
            return [.clearStale]
        case .running, .suspended, .halted, .ended: return []
        }
    }

    // MARK: Observations

    private mutating func observeAlive(_ observation: Observation) -> [Action] {
        let isSuspended = observation.lockHeld && observation.isSuspended
        switch phase {
        case .starting:
            if observation.lockHeld { phase = .running }
            return []
        case .running where isSuspended, .pausing where isSuspended:
            phase = .suspended
            return [.tellSuspended]
        case .suspended where observation.lockHeld && !isSuspended,
            .resuming where observation.lockHeld && !isSuspended:
            phase = .running
            return [.tellResumed]
        case .halted where observation.lockHeld, .ended where observation.lockHeld:
            phase = isSuspended ? .suspended : .running
            return isSuspended ? [.adopt, .tellSuspended] : [.adopt]
        case .running, .pausing, .suspended, .resuming, .halted, .ended, .stopping: return []
        }
    }

    private mutating func observeGone(_ observation: Observation) -> [Action] {
        let isTold = observation.endReason != nil
        switch phase {
        case .running where observation.isFollowed, .pausing where observation.isFollowed,
            .suspended where observation.isFollowed, .halted where observation.isFollowed:
            phase = .ended
            return isTold ? [.adopt, .clearStale] : [.adopt, .clearStale, .tellEnded]
        case .pausing:
            // The end that is seen of a continuation may be that of the run before.
            let hasGate = observation.hasGate && !observation.isContinuation
            phase = Self.isPause(observation.endReason, hasGate: hasGate) ? .halted : .ended
            return isTold ? [.clearStale] : [.clearStale, .tellEnded]
        case .resuming:
            // A continuation that never wrote its start.
            phase = observation.isContinuation && observation.endReason == "stopped" ? .halted : .ended
            return isTold ? [.clearStale] : [.clearStale, .tellEnded]
        case .starting, .running, .suspended, .stopping:
            phase = .ended
            return isTold ? [.clearStale] : [.clearStale, .tellEnded]
        case .halted, .ended: return []
        }
    }
}
