import RalphSessions

/// What `/proc` and the session's files say of a run at one moment.
struct RunFacts: Sendable {
    /// The process that holds the session; `nil`: nobody, or one that cannot be seen.
    var holder: ProcessIdentity?
    var observation = RunState.Observation()
    /// When the run of the lock started, milliseconds since 1970.
    var started: Int64?

    var isAlive: Bool { observation.isAlive }
}
