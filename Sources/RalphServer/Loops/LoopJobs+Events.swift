import Logging
import RalphControl
import RalphSessions
import RalphWire

/// The end of a merge as an event of the primary's session.
extension LoopJobs {
    /// Jobs of a server whose runs are `control`'s.
    convenience init(control: ControlService) {
        self.init(
            settings: control.settings, worktrees: control.worktrees, threads: control.threads,
            logger: control.logger
        ) { [control] job, outcome in
            control.ingest.requestScan()
            guard let (type, payload) = Self.event(job, outcome) else { return }
            do {
                try await control.ingest.tell(
                    .event(type: type, payload: payload, at: WallClock.milliseconds()),
                    to: SessionDirectory(workspace: job.loop.workspace).id)
            } catch {
                control.logger.warning(
                    "The end of a merge cannot be told",
                    metadata: ["loop.id": "\(job.loop.id)", "error": "\(LoggedError.text(error))"])
            }
        }
    }

    /// `loop.merged` or `loop.merge_failed`; `nil` for a discard, a merge that goes on elsewhere, and one that was refused.
    static func event(_ job: Job, _ outcome: Outcome) -> (type: String, payload: String)? {
        guard job.action == .merge else { return nil }
        var payload = JSONObjectText()
        payload.add("loop_id", job.loop.id)
        let type: String
        switch outcome {
        case .pending, .refused, .notStarted(.revoked): return nil
        case .done: type = "loop.merged"
        case .failed, .notStarted:
            type = "loop.merge_failed"
            payload.add("reason", outcome.reason)
        }
        return (type, payload.text)
    }
}

extension LoopJobs.Outcome {
    /// Why nothing came of the job, for a person; of one that is done, or goes on, ``word``.
    var reason: String {
        switch self {
        case .done, .pending: word
        case .failed(let text): text
        case .refused(let problem): problem.error
        case .notStarted(.ralphMissing(let why)), .notStarted(.failedToSpawn(let why)): why
        case .notStarted(.unwritable(let path, let why)): "\(path) cannot be written: \(why)"
        case .notStarted: "ralph cannot be started"
        }
    }
}
