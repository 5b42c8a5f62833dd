import RalphSessions
import RalphWire

/// What of a session tells how its run gets on.
struct SentinelFacts: Sendable {
    /// A process holds the session, and its run is not over by its own word.
    var isAlive = false
    /// Paused, about to be, or waiting for a person, or nobody reads what it writes: silence is no trouble then.
    var isWaiting = false
    /// Events of its files, not those that the server makes itself.
    var events = 0
    /// Milliseconds since 1970.
    var lastEventAt: Int64?
    var iteration = 0
    /// `nil`: its first sight is not over.
    var signs: SessionSigns?

    init() {}

    init(_ entry: CatalogueEntry, now: Int64) {
        let state = entry.state
        isAlive = entry.liveness.lockHeld && !entry.isGone && !entry.hasEndedSinceLocked
        // Of a run whose configuration nobody knows a question excuses the silence.
        let mayWait =
            entry.runConfig?.isRobotEnabled != false && entry.session.mayWait(entry.liveness)
        isWaiting =
            entry.standing(now: now).mode == .paused || entry.liveness.questionWrittenAt != nil
            || mayWait && state.questions.contains { !$0.isOvertaken && $0.iteration >= state.iteration }
        events = state.engineEvents + state.agentEvents
        lastEventAt = state.lastEventAt
        iteration = state.iteration
        signs = state.signs
    }
}
