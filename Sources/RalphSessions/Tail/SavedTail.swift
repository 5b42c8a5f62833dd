package import RalphWire

/// What the store kept of a session's tail, as ``SessionRead`` gave it.
package struct SavedTail: Sendable {
    /// By file name relative to the session directory, or `agent:` and a name: see ``TailSource/key``.
    package var checkpoints: [String: [UInt8]]
    package var state: SessionState?
    /// The newest event that is not the server's own: ``SessionState/lastEventAt`` is stored only with what changes
    /// something else as well. `nil`: there is none, or it is not known.
    package var newestRow: Row?

    /// An event's time, milliseconds since 1970, and where it came from.
    package struct Row: Sendable {
        package let time: Int64
        package let origin: EventOrigin

        package init(time: Int64, origin: EventOrigin) {
            self.time = time
            self.origin = origin
        }
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

    package init(checkpoints: [String: [UInt8]], state: SessionState?, newestRow: Row? = nil) {
        self.checkpoints = checkpoints
        self.state = state
        self.newestRow = newestRow
    }
}
