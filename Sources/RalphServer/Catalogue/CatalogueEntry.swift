import RalphFeed
import RalphSessions
import RalphWire

/// What is known of one session now: from discovery, from its lines, and from the process table.
struct CatalogueEntry: Sendable {
    var session: DiscoveredSession
    var state = SessionState()
    /// How far the events reach that `state` came from.
    var head = FeedHead()
    var liveness = SessionLiveness() {
        didSet { wasHeld = wasHeld || liveness.lockHeld }
    }
    /// Whether this server has seen a process hold the session.
    private var wasHeld = false
    var config: WorkspaceConfig?
    /// Whether the directory is gone; what was stored can still be read.
    var isGone = false
    /// What control knows of its run; `nil`: nothing was ever asked of it, and no run was seen in it.
    var control: RunOverlay?
    /// What went wrong with reading its files last; at most 8 sentences.
    var problems: [String] = []
    /// Why one of its events files cannot be read; `nil`: all can.
    var unreadableLog: String?
    /// The newest event when a stop found that nothing runs; `nil`: none did since this server looks.
    var foundOver: Int64?
    /// When this server met it, milliseconds since 1970.
    let foundAt: Int64

    init(session: DiscoveredSession, now: Int64 = WallClock.milliseconds()) {
        self.session = session
        foundAt = now
    }
}

extension CatalogueEntry {
    /// Where a session stands (http-contract 3.1); raw values are the wire's words.
    struct Standing: Sendable, Equatable {
        enum Mode: String, Sendable { case live, paused, complete }

        enum Status: String, Sendable { case running, paused, completed, stopped, error, idle }

        enum Phase: String, Sendable {
            case starting, iterating, stopping
            case pausing, suspended
            case ended, orphaned
        }

        let status: Status
        let phase: Phase

        static func running(_ phase: Phase) -> Standing { Standing(status: .running, phase: phase) }
        static func paused(_ phase: Phase) -> Standing { Standing(status: .paused, phase: phase) }
        static func ended(_ status: Status) -> Standing { Standing(status: status, phase: .ended) }

        /// - Parameter reason: a run's (contract 2.6).
        static func ended(for reason: String) -> Standing {
            ended(Status(rawValue: TerminateRow.status(ofReason: reason)) ?? .error)
        }

        var mode: Mode {
            switch status {
            case .running: .live
            case .paused: .paused
            case .completed, .stopped, .error, .idle: .complete
            }
        }

        /// Whether no run is under way or waits to go on.
        var isOver: Bool { mode == .complete }
    }

    /// How long after its last event a session without a process still counts as running, milliseconds
    /// (http-contract 3.1, last row).
    static let activityWindow: Int64 = 300_000

    /// Where the session stands at `now`, milliseconds since 1970 (contract 3.3, http-contract 3.1).
    func standing(now: Int64) -> Standing {
        if isGone {
            // A run may outlive its directory, and is still there to be stopped.
            if control?.isActive == true { return controlledStanding ?? .running(.iterating) }
            return state.endReason.map(Standing.ended(for:)) ?? .ended(.idle)
        }
        if let standing = controlledStanding { return standing }
        if liveness.lockHeld, !hasEndedSinceLocked {
            if liveness.isSuspended { return .paused(.suspended) }
            return .running(liveness.isStopRequested ? .stopping : workingPhase)
        }
        if let reason = state.endReason { return .ended(for: reason) }
        if let last = state.lastEventAt, now - last < Self.activityWindow, !isAbandoned(since: last),
            foundOver.map({ $0 < head.last }) ?? true
        {
            return .running(workingPhase)
        }
        return .ended(.idle)
    }

    /// The phase of a run that works and is not asked to stop.
    var workingPhase: Standing.Phase { state.iteration > 0 ? .iterating : .starting }

    /// Whether the run that took the lock is over by its own word: its process may stay, as with `--rpc` and an open
    /// standard input (contract header), or leave the lock to something that it started.
    var hasEndedSinceLocked: Bool {
        guard let ended = state.runEndedAt, let locked = liveness.lockStarted else { return false }
        return state.endReason != nil && ended >= locked
    }

    /// Whether a run once held the lock, nobody has since this server looks, and nothing has come. Events that
    /// come all the same are those of a run that this system's locks do not show, such as one in a container;
    /// of a run that was seen its end is going to be told.
    private func isAbandoned(since last: Int64) -> Bool {
        liveness.lockStarted != nil && !wasHeld && last < foundAt
    }

    /// Milliseconds since 1970 at which the last run began, best source first; its first event is the last resort.
    var startedAt: Int64? { runStart ?? state.firstEventAt }

    /// When the last run began, as its lock or its start row tells; `nil`: neither does.
    var runStart: Int64? {
        guard let locked = liveness.lockStarted, let told = state.runStartedAt, !liveness.lockHeld else {
            return liveness.lockStarted ?? state.runStartedAt
        }
        // A lock that is free may be another run's.
        return locked <= told && locked > state.runBeforeEndedAt ?? .min ? locked : told
    }

    /// Seconds of the last run, up to its end or to now; `nil` where the start is not known.
    func elapsedSeconds(now: Int64) -> Int64? { elapsedMilliseconds(now: now).map { $0 / 1000 } }

    /// ``elapsedSeconds(now:)`` in milliseconds.
    func elapsedMilliseconds(now: Int64) -> Int64? {
        guard let startedAt else { return nil }
        let isRunning = !standing(now: now).isOver
        let end = state.runEndedAt ?? (isRunning ? now : state.lastEventAt ?? startedAt)
        return workedMilliseconds(from: startedAt, to: end)
    }
}
