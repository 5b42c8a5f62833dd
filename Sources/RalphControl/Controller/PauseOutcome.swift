/// What became of a pause. Times are milliseconds since 1970.
package struct PauseOutcome: Sendable, Equatable {
    /// Whether this call asked for it, or ended the agent that a pause waited for; `false`: it was asked for, or in
    /// effect, before.
    package var changed: Bool
    /// Whether the iteration in progress goes on.
    package var isPending: Bool
    package var requestedAt: Int64
    /// `nil` while ``isPending``.
    package var effectiveAt: Int64?
}
