/// What the store kept of a session's tail, as ``SessionRead`` gave it.
package struct SavedTail: Sendable {
    /// By file name relative to the session directory, or `agent:` and a name: see ``TailSource/key``.
    package var checkpoints: [String: [UInt8]]
    package var state: SessionState?

    package init(checkpoints: [String: [UInt8]], state: SessionState?) {
        self.checkpoints = checkpoints
        self.state = state
    }
}
