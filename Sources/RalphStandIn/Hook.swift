/// A command that ralph runs at a point of a run's life (contract 4.4).
struct Hook {
    /// What a failing hook does.
    enum Failure: String { case warn, block, suspend }
    /// How a suspended run comes back.
    enum SuspendMode: String {
        case waitForResume = "wait_for_resume"
        case retryBackoff = "retry_backoff"
        case waitThenRetry = "wait_then_retry"
    }

    /// For people and `suspend-state.json`.
    let name: String
    /// Program and arguments.
    let command: [String]
    /// Where it runs; `nil` is the workspace.
    let directory: String?
    /// Added to ralph's own.
    let environment: [String: String]
    /// Then it is killed, and has failed.
    let timeoutSeconds: Double
    /// What its failure does.
    let failure: Failure
    /// How it is resumed.
    let suspendMode: SuspendMode
}
