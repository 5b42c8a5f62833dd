/// Why a run ended in order (contract 2.6), with the words and the exit status that go with it (4.1).
enum EndReason: String {
    case completed
    case maxIterations = "max_iterations"
    case maxRuntime = "max_runtime"
    case maxCost = "max_cost"
    case consecutiveFailures = "consecutive_failures"
    case loopStale = "loop_stale"
    case validationFailure = "validation_failure"
    case stopped
    case interrupted
    case restartRequested = "restart_requested"
    case workspaceGone = "workspace_gone"
    case cancelled

    /// What ralph ends with.
    var exitCode: Int32 {
        switch self {
        case .completed, .cancelled, .restartRequested: 0
        case .maxIterations, .maxRuntime, .maxCost: 2
        case .interrupted: 130
        default: 1
        }
    }

    /// The line below `## Status` of `loop.terminate`.
    var status: String {
        switch self {
        case .completed: "All tasks completed successfully."
        case .maxIterations: "Stopped at iteration limit."
        case .maxRuntime: "Stopped at runtime limit."
        case .maxCost: "Stopped at cost limit."
        case .consecutiveFailures: "Too many consecutive failures."
        case .loopStale: "Loop stale - same event repeated without progress."
        case .validationFailure: "Too many malformed JSONL events."
        case .stopped: "Manually stopped."
        case .interrupted: "Interrupted by signal."
        case .restartRequested: "Restarting by human request."
        case .workspaceGone: "Workspace directory removed externally."
        case .cancelled: "Cancelled gracefully (human rejection or timeout)."
        }
    }

    /// The status of `agent/summary.md`.
    var headline: String {
        switch self {
        case .completed: "Completed successfully"
        case .maxIterations: "Stopped: max iterations reached"
        case .maxRuntime: "Stopped: max runtime reached"
        case .maxCost: "Stopped: max cost reached"
        case .consecutiveFailures: "Failed: too many consecutive failures"
        case .loopStale: "Failed: stale loop detected"
        case .validationFailure: "Failed: too many malformed JSONL events"
        case .stopped: "Stopped manually"
        case .interrupted: "Interrupted by signal"
        case .restartRequested: "Restarting by human request"
        case .workspaceGone: "Failed: workspace directory removed"
        case .cancelled: "Cancelled gracefully (human rejection or timeout)"
        }
    }

    /// The word of `history.jsonl`, which differs in one case.
    var historyName: String { self == .completed ? "completion_promise" : rawValue }

    /// The word of `loop_terminated` in the `--rpc` stream, which has only four.
    var streamName: String {
        switch self {
        case .completed, .cancelled: "completed"
        case .maxIterations, .maxRuntime, .maxCost: "max_iterations"
        case .interrupted, .stopped, .restartRequested: "interrupted"
        default: "error"
        }
    }
}
