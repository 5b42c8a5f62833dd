/// What became of a text for the agent.
package struct SteerOutcome: Sendable, Equatable {
    /// Whether the agent's next `ralph emit` shows it. Where that cannot be, its row is there all the same: a caller who was
    /// told of a failure would send it again, and the agent would read it twice.
    package let isShownAtOnce: Bool
    /// Whether it is certain that no hat keeps it from the run (contract 2.5).
    package let isScopeCertain: Bool
}
