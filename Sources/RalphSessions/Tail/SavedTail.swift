/// What the store kept of a session's tail, as ``SessionRead`` gave it.
package struct SavedTail: Sendable {
    /// By file name relative to the session directory, or `agent:` and a name: see ``TailSource/key``.
    package var checkpoints: [String: [UInt8]]
    package var state: SessionState?
    /// What the newest event says that is not the server's own, milliseconds since 1970; `nil`: nothing.
    /// ``SessionState/lastEventAt`` is stored only with what changes something else as well.
    package var newestRowAt: Int64?

    package init(checkpoints: [String: [UInt8]], state: SessionState?, newestRowAt: Int64? = nil) {
        self.checkpoints = checkpoints
        self.state = state
        self.newestRowAt = newestRowAt
    }
}
