import RalphControl
import RalphWire

// The answers of http-contract 8; member names are the wire's.

/// `POST /api/loops`.
struct LoopStartAnswer: Encodable, Sendable {
    let id: String
    /// The workspace itself for a primary.
    let worktree_path: String
    let status = "starting"
    /// Nothing ran in the workspace, so that the loop became its primary (contract 5.1).
    let primary: Bool
    let session_id: String
    /// The branch from which a worktree is made: whatever the workspace has checked out.
    let base_branch: String?
}

/// `POST …/merge` and `POST …/discard`.
struct LoopJobAnswer: Encodable, Sendable, CommandOutcome {
    let success = true
    let message: String
    /// Whether it goes on; the merge queue tells of its end.
    let pending: Bool

    var outcome: String { pending ? "queued" : "accepted" }

    /// What to answer when a job came to this.
    ///
    /// - Throws: ``Problem`` for one of which nothing came.
    init(_ action: LoopJobs.Action, _ id: String, _ outcome: LoopJobs.Outcome) throws(Problem) {
        let isPending: Bool
        switch outcome {
        case .done: isPending = false
        case .pending: isPending = true
        case .failed: throw .loopJobFailed(action, outcome.reason)
        case .refused(let problem): throw problem
        case .notStarted(.revoked): throw .unauthorized
        case .notStarted: throw .commandError(outcome.reason)
        }
        pending = isPending
        switch action {
        case .merge: message = "Loop \(id) \(isPending ? "queued for merge" : "merged successfully")"
        case .discard:
            message = "Loop \(id) \(isPending ? "queued for discard" : "discarded successfully")"
        }
    }
}
