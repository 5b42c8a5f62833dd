import RalphWire

/// What can be wrong with a request about loops (http-contract 8).
extension Problem {
    static func loopNotFound(_ id: String, isAmbiguous: Bool = false) -> Problem {
        Problem(
            status: 404, error: "loop_not_found: \(oneLine(id))", code: .notFound,
            details: isAmbiguous
                ? "More than one workspace has a loop of this id; add ?workspace=." : nil)
    }

    /// The file that is a problem, and why, in a list that goes without it.
    var fileLine: String { "\(details ?? ""): \(error)" }

    static func workspaceNotFound(_ why: String) -> Problem {
        Problem(status: 404, error: "workspace_not_found: \(oneLine(why))", code: .notFound)
    }

    static func primaryLoop(_ action: LoopJobs.Action) -> Problem {
        Problem(
            status: 400, error: "invalid_operation: cannot \(action.rawValue) primary loop", code: .badRequest
        )
    }

    static func loopIsElsewhere(_ action: LoopJobs.Action) -> Problem {
        Problem(
            status: 400, error: "invalid_operation: cannot \(action.rawValue) a loop of another workspace",
            code: .badRequest, details: "loops.json names its worktree elsewhere; this workspace is a copy.")
    }

    static func loopIsRunning(_ id: String) -> Problem {
        Problem(
            status: 409, error: "loop_still_running: \(oneLine(id))", code: .conflict,
            details: "Stop the loop, or wait for its end.")
    }

    /// Its run has no process, and what is done to its worktree takes away what it would go on from.
    static func loopIsPaused(_ id: String) -> Problem {
        Problem(
            status: 409, error: "loop_still_running: \(oneLine(id))", code: .conflict,
            details: "It is paused and can go on. Stop the loop, or resume it and wait for its end.")
    }

    /// A merge would take its place, and what it would go on from.
    static func primaryIsPaused(_ id: String) -> Problem {
        Problem(
            status: 409, error: "loop_still_running: \(oneLine(id))", code: .conflict,
            details:
                "The primary loop is paused, or is to be, and can go on; a merge would take its place. Stop it, or resume it first."
        )
    }

    static func loopBusy(_ id: String) -> Problem {
        Problem(
            status: 409, error: "loop_busy: \(oneLine(id))", code: .conflict,
            details: "A merge or discard of this loop is not over yet.")
    }

    /// - Parameter other: the id or the worktree that Ralph would take the id for.
    static func loopIDIsUnclear(
        _ id: String, _ action: LoopJobs.Action, takenFor other: String
    ) -> Problem {
        Problem(
            status: 409, error: "loop_id_unclear: \(oneLine(id))", code: .conflict,
            details:
                "Ralph takes a part of an id for the whole, and would \(action.rawValue) \(oneLine(other)) by this one."
        )
    }

    static func loopIsUnknown(_ id: String) -> Problem {
        Problem(
            status: 409, error: "loop_unknown_to_ralph: \(oneLine(id))", code: .conflict,
            details:
                "No worktree has its branch \(RalphWorktree.branchPrefix)\(oneLine(id)), and the merge queue does not name it"
                + " or has a line that Ralph cannot read."
        )
    }

    /// Ralph refuses a loop whose merge was left, but for a merge with force (contract 5.2): whether it may be begun anew
    /// is for a person to know.
    static func loopIsLeft(_ item: MergeQueue.Item, in workspace: String) -> Problem {
        Problem(
            status: 409, error: "loop_merge_left: \(oneLine(item.id))", code: .conflict,
            details: MergeQueueObject.leftReason(item, workspace))
    }

    /// - Parameters:
    ///   - state: `merged` or `discarded`.
    ///   - worktree: what Ralph, which says first what it then does, has failed to remove.
    static func loopIsOver(_ id: String, _ state: String, left worktree: String? = nil) -> Problem {
        Problem(
            status: 409, error: "loop_already_\(state): \(oneLine(id))", code: .conflict,
            details: worktree.map { "Its worktree is still there: git worktree remove --force \($0)" })
    }

    static let tooManyLoopJobs = Problem(
        status: 503, error: "busy", code: .unavailable,
        details: "As many merges and discards as may run at once are running.")

    /// - Parameter text: what `ralph` said last.
    static func loopJobFailed(_ action: LoopJobs.Action, _ text: String) -> Problem {
        Problem(
            status: 500, error: "\(action.rawValue)_failed: \(oneLine(text))", code: .internalError)
    }

    static func commandError(_ why: String) -> Problem {
        Problem(status: 500, error: "command_error: \(oneLine(why))", code: .internalError)
    }
}
