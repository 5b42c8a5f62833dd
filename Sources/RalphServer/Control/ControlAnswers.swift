import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

// The answers of http-contract 3.4; member names are the wire's.

/// `POST /api/sessions`.
struct StartAnswer: Encodable, Sendable {
    let id: String
    let status = "starting"
    let pid: Int32?
    let started_at: String
    let working_dir: String
    let worktree: Bool

    /// - Parameter isBeside: it works in a worktree, beside the run that holds the workspace.
    init(_ session: SessionID, _ record: RunRecord, isBeside: Bool) {
        id = session.rawValue
        pid = record.process?.pid
        started_at = Timestamp.text(record.startedAt ?? WallClock.milliseconds())
        working_dir = record.directory.pathParts?.parent ?? record.directory
        worktree = isBeside
    }
}

/// `POST …/pause`.
struct PauseAnswer: Encodable, Sendable, CommandOutcome {
    let status = "paused"
    let mode = "paused"
    /// Whether the iteration in progress goes on until it is over.
    let pending: Bool
    let changed: Bool
    let requested_at: String
    let effective_at: String?

    var outcome: String { pending ? "queued" : "accepted" }

    init(_ outcome: PauseOutcome) {
        pending = outcome.isPending
        changed = outcome.changed
        requested_at = Timestamp.text(outcome.requestedAt)
        effective_at = outcome.effectiveAt.map(Timestamp.text)
    }
}

/// `POST …/resume`.
struct ResumeAnswer: Encodable, Sendable, CommandOutcome {
    let status = "running"
    let mode = "live"
    let result = "resumed"
    let changed: Bool
    /// Whether nothing of it has been seen yet.
    let pending: Bool
    let requested_at: String
    let effective_at: String?

    var outcome: String { pending ? "queued" : "accepted" }

    init(_ outcome: ResumeOutcome) {
        changed = outcome.changed
        pending = outcome.changed && outcome.effectiveAt == nil
        requested_at = Timestamp.text(outcome.requestedAt)
        effective_at = outcome.effectiveAt.map(Timestamp.text)
    }
}

/// Whether Ralph may drop a row since a hat at work does not publish its topic; absent: it does not, or `force` said not to
/// ask.
enum HatScope: String, Encodable, Sendable {
    case unknown

    /// - Returns: `nil`, which is absent, where it is certain.
    init?(isCertain: Bool) {
        guard !isCertain else { return nil }
        self = .unknown
    }
}

/// `POST …/steer`; `seq` and `event_id` are absent if the row was not seen in the feed within 2 s.
struct SteerAnswer: Encodable, Sendable, CommandOutcome {
    let status = "delivered"
    let delivered_at: String
    /// When the agent reads it: guidance goes into the prompt of the next iteration (contract 4.6).
    let effective = "next_iteration"
    /// Whether its next `ralph emit` shows it as well.
    let urgent: Bool
    let hat_scope: HatScope?
    let seq: Int64?
    let event_id: String?

    var outcome: String { "queued" }

    init(_ echo: EventEcho?, _ steered: SteerOutcome) {
        delivered_at = Timestamp.text(echo?.timestamp ?? WallClock.milliseconds())
        urgent = steered.isShownAtOnce
        hat_scope = HatScope(isCertain: steered.isScopeCertain)
        seq = echo?.seq
        event_id = echo?.eventID
    }
}

/// `POST …/emit`.
struct EmitAnswer: Encodable, Sendable {
    let success = true
    let topic: String
    let timestamp: String
    let session_id: String
    let hat_scope: HatScope?
    let seq: Int64?
    let event_id: String?
    /// `pause` or `stop`, when the topic stands for one and it was carried out.
    var acted: String?
    /// Why it was not.
    var action_error: String?

    init(_ session: SessionID, _ topic: String, _ echo: EventEcho?, isScopeCertain: Bool) {
        self.topic = topic
        hat_scope = HatScope(isCertain: isScopeCertain)
        timestamp = Timestamp.text(echo?.timestamp ?? WallClock.milliseconds())
        session_id = session.rawValue
        seq = echo?.seq
        event_id = echo?.eventID
    }
}

/// `DELETE /api/sessions/{id}`.
struct StopAnswer: Encodable, Sendable {
    let status = "stopped"
    let already: Bool?
    let final_status: String?
    let exit_code: Int32?
    let exit_signal: Int32?
    var end_reason: String?
    let forced: Bool?
    /// Why the session was not forgotten, though the run was stopped.
    var purge_error: String?

    /// - Parameter final: the session's status before.
    init(_ outcome: StopOutcome, final: CatalogueEntry.Standing.Status) {
        already = outcome.already ? true : nil
        final_status = outcome.already ? final.rawValue : nil
        exit_code = outcome.already ? nil : outcome.exit?.code
        exit_signal = outcome.already ? nil : outcome.exit?.signal
        end_reason = outcome.already ? nil : outcome.endReason
        forced = outcome.already ? nil : outcome.forced
    }
}

/// `GET …/commands`, newest first.
struct CommandList: Encodable, Sendable {
    /// One command.
    struct Command: Encodable, Sendable {
        let id: Int64
        let kind: String
        let by: String
        let marker: String
        let detail: String?
        let requested_at: String
        let outcome: String
        let status: Int?
        let concluded_at: String?
    }

    let commands: [Command]
    /// What to send as `before` for the next page.
    let before: Int64?
    let has_more: Bool

    /// - Parameter records: one more than `limit`, if there are.
    init(_ records: [CommandRecord], limit: Int) {
        commands = records.prefix(limit).map { record in
            Command(
                id: record.id, kind: record.kind, by: record.by, marker: record.marker,
                detail: record.detail, requested_at: Timestamp.text(record.requestedAt),
                outcome: record.outcome, status: record.status == 0 ? nil : record.status,
                concluded_at: record.concludedAt.map(Timestamp.text))
        }
        has_more = records.count > limit
        before = has_more ? commands.last?.id : nil
    }
}
