import RalphFeed
import RalphSessions
import RalphWire

/// What is known of one session now: from discovery, from its lines, and from the process table.
struct CatalogueEntry: Sendable {
    var session: DiscoveredSession
    var state = SessionState()
    /// How far the events reach that `state` came from.
    var head = FeedHead()
    var liveness = SessionLiveness()
    var config: WorkspaceConfig?
    /// Whether the directory is gone; what was stored can still be read.
    var isGone = false
    /// What control knows of its run; `nil`: nothing was ever asked of it, and no run was seen in it.
    var control: RunOverlay?
    /// What went wrong with reading its files last; at most 8 sentences.
    var problems: [String] = []
    /// When this server met it, milliseconds since 1970.
    let foundAt: Int64

    init(session: DiscoveredSession, now: Int64 = WallClock.milliseconds()) {
        self.session = session
        foundAt = now
    }
}

extension CatalogueEntry {
    /// `status`, `mode` and `phase` of http-contract 3.1.
    struct Standing: Sendable, Equatable {
        var status: String
        var mode: String
        var phase: String
    }

    /// How long after its last event a session without a process still counts as running, milliseconds
    /// (http-contract 3.1, last row).
    static let activityWindow: Int64 = 300_000

    /// Where the session stands at `now`, milliseconds since 1970 (contract 3.3, http-contract 3.1).
    func standing(now: Int64) -> Standing {
        if isGone {
            // A run may outlive its directory, and is still there to be stopped.
            if let control, control.isActive, let standing = controlledStanding { return standing }
            guard control?.isActive != true else {
                return Standing(status: "running", mode: "live", phase: "iterating")
            }
            let status = state.endReason.map(TerminateRow.status(ofReason:)) ?? "idle"
            return Standing(status: status, mode: "complete", phase: "ended")
        }
        if let standing = controlledStanding { return standing }
        if liveness.lockHeld, !hasEndedSinceLocked {
            if liveness.isSuspended { return Standing(status: "paused", mode: "paused", phase: "suspended") }
            let phase = liveness.isStopRequested ? "stopping" : state.iteration > 0 ? "iterating" : "starting"
            return Standing(status: "running", mode: "live", phase: phase)
        }
        if let reason = state.endReason {
            return Standing(status: TerminateRow.status(ofReason: reason), mode: "complete", phase: "ended")
        }
        if let last = state.lastEventAt, now - last < Self.activityWindow, !isAbandoned(since: last) {
            return Standing(
                status: "running", mode: "live", phase: state.iteration > 0 ? "iterating" : "starting")
        }
        return Standing(status: "idle", mode: "complete", phase: "ended")
    }

    /// Whether the run that took the lock is over by its own word: its process may stay, as with `--rpc` and an open
    /// standard input (contract header), or leave the lock to something that it started.
    var hasEndedSinceLocked: Bool {
        guard let ended = state.runEndedAt, let locked = liveness.lockStarted else { return false }
        return state.endReason != nil && ended >= locked
    }

    /// Whether a run once held the lock, nobody does, and nothing has come since this server looks. Events that
    /// come all the same are those of a run that this system's locks do not show, such as one in a container.
    private func isAbandoned(since last: Int64) -> Bool {
        liveness.lockStarted != nil && last < foundAt
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
        let isRunning = standing(now: now).mode != "complete"
        let end = state.runEndedAt ?? (isRunning ? now : state.lastEventAt ?? startedAt)
        return workedMilliseconds(from: startedAt, to: end)
    }
}
