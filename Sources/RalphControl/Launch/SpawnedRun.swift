/// A run that was started and has perhaps not registered yet.
package struct SpawnedRun: Sendable, Equatable {
    package let process: ProcessIdentity
    /// The file that takes its standard output: the lines of `--rpc` (contract 4.8).
    package let output: String
    /// The file that takes its standard error.
    package let errors: String
    package let plan: LaunchPlan
    /// What the events pointer and its file looked like before, to see the run's first row.
    let before: EventsMark
}
