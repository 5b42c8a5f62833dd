import RalphWire

/// What the store kept of a session's tail, as ``SessionRead`` gave it.
package struct SavedTail: Sendable {
    /// By file name relative to the session directory, or `agent:` and a name: see ``TailSource/key``.
    package var checkpoints: [String: [UInt8]]
    package var state: SessionState?
    /// The newest event that is not the server's own: ``SessionState/lastEventAt`` is stored only with what changes
    /// something else as well. `nil`: there is none, or it is not known.
    var newestRow: Row?

    /// The times that events had; see ``NameClock``.
    let clock: NameClock

    /// An event's time, milliseconds since 1970, and where it came from.
    struct Row: Sendable {
        let time: Int64
        let origin: EventOrigin
    }

    /// Where the iterations are among the checkpoints; no file is called so.
    static let iterationsKey = "iterations/"

    /// The state with its iterations, which older versions stored in it.
    package var wholeState: SessionState? {
        var state = state
        if let bytes = checkpoints[Self.iterationsKey],
            // Those of a later version say nothing: those to come are told.
            let iterations = [IterationRecord](stored: bytes)
        {
            state?.iterations = iterations
        }
        return state
    }

    package init(checkpoints: [String: [UInt8]], state: SessionState?, newest: NewestEvents? = nil) {
        self.checkpoints = checkpoints
        self.state = state
        newestRow = newest?.row
        clock = newest?.clock ?? NameClock()
    }
}
