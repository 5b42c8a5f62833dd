import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// A session as the list and the status show it: one superset (http-contract 3.2). Member names are the wire's.
struct SessionObject: Encodable, Sendable {
    /// UTF-8 bytes of a name or topic out of a configuration: each list of sessions has them, and aliases
    /// make very many of a few.
    private static let wordBytes = 200

    let id: String
    let iteration: Int
    let total: Int?
    let hat: String?
    let hat_name: String?
    let elapsed_secs: Int64?
    let mode: String
    let status: String
    let phase: String
    let end_reason: String?
    let started_at: String?
    let ended_at: String?
    let last_event_at: String?
    let trigger_event: String?
    let publishes: [String]?
    let task_name: String?
    let working_dir: String
    let config_path: String?
    let prompt_path: String?
    let pid: Int32?
    let exit_code: Int32?
    let exit_signal: Int32?
    /// What the run's program said last, where it failed.
    let exit_message: String?
    let paused_at: String?
    let orphans: [Int32]?
    let source: String
    let layout: String
    let read_only: Bool
    let worktree_of: String?
    let loop_id: String?
    let event_count: Int64
    let first_seq: Int64
    let last_seq: Int64
    let last_event_id: String?
    let epoch: String
    let watch: String
    let malformed_lines: Int
    let overlong_lines: Int
    let problems: [String]?

    init(_ entry: CatalogueEntry, epoch: String, report: DiscoveryReport?, now: Int64) {
        let (state, head) = (entry.state, entry.head)
        let standing = entry.standing(now: now)
        let configured = entry.runConfig?.hat(state.hat, calledBy: state.triggerEvent)
        let (control, exit) = (entry.newestControl, entry.newestControl?.exit)
        id = entry.session.id.rawValue
        iteration = state.iteration
        total = entry.iterationLimit
        hat = state.hat.isEmpty ? nil : state.hat
        hat_name = configured.map { Self.word($0.name) }
        elapsed_secs = entry.elapsedSeconds(now: now)
        (mode, status, phase) = (standing.mode.rawValue, standing.status.rawValue, standing.phase.rawValue)
        end_reason = standing.isOver ? state.endReason : nil
        started_at = entry.startedAt.map(Timestamp.text)
        ended_at = standing.isOver ? state.runEndedAt.map(Timestamp.text) : nil
        last_event_at = state.lastEventAt.map(Timestamp.text)
        trigger_event = state.triggerEvent
        publishes = configured?.publishes.prefix(LibraryLimits.members).map(Self.word)
        task_name = Self.taskName(state.prompt ?? entry.liveness.prompt)
        working_dir = entry.session.directory.workspace
        config_path = control?.config ?? (entry.workspaceConfig?.hasFile == true ? "ralph.yml" : nil)
        prompt_path = control?.prompt
        pid = entry.pid
        (exit_code, exit_signal, exit_message) = (exit?.code, exit?.signal, exit?.message)
        paused_at = entry.pausedAt.map(Timestamp.text)
        orphans = entry.orphans.isEmpty ? nil : entry.orphans
        source = control?.isSpawned == true ? "spawned" : "discovered"
        layout = entry.session.directory.layout.rawValue
        read_only = entry.session.isReadOnly
        worktree_of = entry.session.worktreeOf
        loop_id = entry.session.loopID
        event_count = head.last
        first_seq = head.last == 0 ? 0 : head.firstKept
        last_seq = head.last
        last_event_id = head.last == 0 ? nil : EventID(session: entry.session.id, seq: head.last).description
        self.epoch = epoch
        watch = entry.isGone ? "gone" : (report?.mode(of: entry.session.id) ?? .inotify).rawValue
        (malformed_lines, overlong_lines) = (state.malformedLines, state.overlongLines)
        problems = entry.problems.isEmpty ? nil : entry.problems
    }

    private static func word(_ text: String) -> String { LibraryText.cut(text, to: wordBytes) }

    /// The first line of a prompt that says something, without heading marks, at most 80 characters.
    private static func taskName(_ prompt: String?) -> String? {
        guard let prompt else { return nil }
        for line in prompt.split(whereSeparator: \.isNewline) {
            let text = line.drop { $0 == "#" || $0 == " " }
            if !text.isEmpty { return String(text.prefix(80)) }
        }
        return nil
    }
}
