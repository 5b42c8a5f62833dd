/// A command that ralph runs at a point of a run's life (contract 4.4).
struct Hook {
    enum Failure: String { case warn, block, suspend }
    enum SuspendMode: String {
        case waitForResume = "wait_for_resume"
        case retryBackoff = "retry_backoff"
        case waitThenRetry = "wait_then_retry"
    }

    let name: String
    let command: [String]
    let directory: String?
    let environment: [String: String]
    let timeoutSeconds: Double
    let failure: Failure
    let suspendMode: SuspendMode
}
