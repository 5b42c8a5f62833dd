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
        ) { [control] job, outcome, wasAwaited in
            control.ingest.requestScan()
            guard let (type, payload) = Self.event(job, outcome, wasAwaited: wasAwaited) else { return }
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
    ///
    /// - Parameter wasAwaited: whoever asked has the outcome as the answer; a refusal that came too late for that is told.
    static func event(
        _ job: Job, _ outcome: Outcome, wasAwaited: Bool
    ) -> (type: String, payload: String)? {
        guard job.action == .merge else { return nil }
        var payload = JSONObjectText()
        payload.add("loop_id", job.loop.id)
        let type: String
        switch outcome {
        case .pending: return nil
        case .refused where wasAwaited, .notStarted(.revoked) where wasAwaited: return nil
        case .done: type = "loop.merged"
        case .failed, .refused, .notStarted:
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
        case .notStarted(.revoked): "whoever asked for it may not do so any more"
        case .notStarted: "ralph cannot be started"
        }
    }
}
