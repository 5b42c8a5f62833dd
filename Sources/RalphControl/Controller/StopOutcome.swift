/// What became of a stop.
package struct StopOutcome: Sendable, Equatable {
    /// Nothing was alive any more.
    package var already: Bool
    /// How the process ended, as far as it is known.
    package var exit: RunRecord.Exit?
    /// Whether anything had to be signalled.
    package var forced: Bool
    /// What the last run's `loop.terminate` says.
    package var endReason: String?
}
