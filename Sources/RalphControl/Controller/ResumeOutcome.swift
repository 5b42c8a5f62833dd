/// What became of a resumption. Times are milliseconds since 1970.
package struct ResumeOutcome: Sendable, Equatable {
    /// `false`: the run was not paused.
    package var changed: Bool
    package var requestedAt: Int64
    /// `nil`: it was asked for and is not seen yet.
    package var effectiveAt: Int64?
}
