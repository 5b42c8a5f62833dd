/// A run that was started and has perhaps not registered yet.
package struct SpawnedRun: Sendable, Equatable {
    package let process: ProcessIdentity
    /// The file that takes its standard output: the lines of `--rpc` (contract 4.8).
    package let output: String
    /// The file that takes its standard error.
    package let errors: String
    /// The configuration that was made for it, also in its command line: ``ProcessTree/processes(withArgument:)``.
    package let generatedConfig: String
    /// Whether that has our pause gate.
    package let hasGate: Bool
    package let plan: LaunchPlan
    /// What the events pointer and its file looked like before, to see the run's first row.
    let before: EventsMark
}
