import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Synchronization

@testable import RalphControl

/// What a controller reported, in order.
final class ReportLog: Sendable {
    private let state = Mutex(
        (records: [RunRecord](), notes: [ControlNote](), reads: [Int](), failure: (any Error)?.none))

    /// What storing fails with; `nil`: it succeeds.
    var failure: (any Error)? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    var records: [RunRecord] { state.withLock { $0.records } }
    var notes: [ControlNote] { state.withLock { $0.notes } }
    /// How many notes there were each time that the session's files were to be read to their end.
    var reads: [Int] { state.withLock { $0.reads } }
    var last: RunRecord? { records.last }

    /// The types of the events that were told.
    var events: [String] {
        notes.compactMap { if case .event(let type, _, _) = $0 { type } else { nil } }
    }

    /// What the told events say of when they took effect.
    var effectiveTimes: [String] {
        get throws {
            try notes.compactMap {
                guard case .event(_, let payload, _) = $0 else { return nil }
                return try JSONDecoder().decode([String: String].self, from: Data(payload.utf8))[
                    "effective_at"]
            }
        }
    }

    var reports: ControlReports {
        ControlReports(
            save: { record in
                try self.state.withLock { state in
                    if let failure = state.failure { throw failure }
                    state.records.append(record)
                }
            },
            note: { _, note in self.state.withLock { $0.notes.append(note) } },
            readToEnd: { _ in self.state.withLock { $0.reads.append($0.notes.count) } })
    }
}

/// A workspace in which a scripted agent runs, and a controller of its session.
struct ControllerScene {
    let workspace: StandInWorkspace
    let log = ReportLog()
    let controller: SessionController
    let settings: ControlSettings

    var directory: SessionDirectory { SessionDirectory(workspace: workspace.path) }
    var plan: LaunchPlan { LaunchPlan(workspace: workspace.path) }

    init(_ workspace: StandInWorkspace, ralph: String? = StandIn.ralph) {
        self.workspace = workspace
        var settings = ControlSettings(
            ralph: ralph, runs: workspace.outside.path + "/runs",
            environment: [
                "HOME": workspace.outside.path,
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            ])
        settings.stopGrace = .milliseconds(600)
        settings.agentGrace = .milliseconds(1500)
        self.settings = settings
        controller = Self.controller(workspace, settings, log, nil)
    }

    /// Another controller of the same session, as a restarted server would make it.
    func reborn(_ record: RunRecord?, stopGrace: Duration? = nil) -> SessionController {
        var settings = settings
        settings.stopGrace = stopGrace ?? settings.stopGrace
        return Self.controller(workspace, settings, log, record)
    }

    private static func controller(
        _ workspace: StandInWorkspace, _ settings: ControlSettings, _ log: ReportLog, _ record: RunRecord?
    ) -> SessionController {
        let session = DiscoveredSession(directory: SessionDirectory(workspace: workspace.path))
        return SessionController(
            session: session, record: record, settings: settings, reports: log.reports,
            logger: Logger(label: "test"))
    }

    /// Waits until the controller's record is in `phase`, looking as the server does.
    func reach(_ phase: RunRecord.Phase, _ controller: SessionController? = nil) async throws {
        let controller = controller ?? self.controller
        try await eventually(within: .seconds(20), "\(phase)") {
            await controller.observe()
            return await controller.record?.phase == phase
        }
    }

    /// The iterations that have begun, by the prompts that agents got.
    var prompts: Int { (workspace.text("prompts.txt") ?? "").components(separatedBy: "# Goal").count - 1 }

    /// How many iterations have ended.
    var iterations: Int { workspace.topics.filter { $0 == "iteration.summary" }.count }

    /// Starts a run as somebody else would, and pauses it by its end.
    func haltRunOfOthers() async throws {
        let run = try workspace.run(["--rpc"], hasInput: true)
        try await workspace.waitForTopic("iteration.summary")
        _ = try await controller.pause(now: false, by: "test")
        try await reach(.halted)
        _ = try await run.waitForExit()
    }

    /// Starts a merge as somebody else would, beside a run for whose end it waits.
    func queueMerge() async throws -> StandInProcess {
        let merge = try workspace.launch(
            StandIn.ralph, ["run", "--no-tui", "--exclusive", "-p", "merge"],
            environment: ["RALPH_MERGE_LOOP_ID": "fair-rose"])
        try await eventually(within: .seconds(20), "the merge") { merge.waitsForLock }
        return merge
    }

    /// Starts a run, and a parallel loop as somebody else would.
    ///
    /// - Parameters:
    ///   - isRoot: the loop's worktree is a root itself, and the main workspace is in none.
    ///   - mode: of the loop.
    /// - Returns: the controller of the loop, which has begun.
    func startLoopOfOthers(isRoot: Bool, mode: String = "--rpc") async throws -> SessionController {
        try await controller.start(plan, by: "test")
        _ = try workspace.run([mode])
        let worktrees = workspace.path + "/.worktrees"
        var name = ""
        try await eventually(within: .seconds(10), "worktree") {
            name = try FileManager.default.contentsOfDirectory(atPath: worktrees).first ?? ""
            // It is written behind the start row.
            return workspace.exists(".worktrees/\(name)/.ralph/history.jsonl")
        }
        let session = DiscoveredSession(
            directory: SessionDirectory(workspace: worktrees + "/" + name), loopID: name,
            worktreeOf: isRoot ? nil : workspace.path)
        return SessionController(
            session: session, record: nil, settings: settings, reports: log.reports,
            logger: Logger(label: "test"))
    }

    /// Control files that are left.
    var leftovers: [String] {
        ["stop-requested", "pause-requested", "resume-requested", "suspend-state.json"].filter {
            workspace.exists(".ralph/" + $0)
        }
    }
}

/// Steps of an agent: each iteration takes `milliseconds` and hands on to the next hat, for longer than any test takes.
func rounds(_ milliseconds: Int) -> StandInSetup {
    var setup = StandInSetup(
        steps: """
            always:
            log-prompt prompts.txt
            touch began
            wait \(milliseconds)
            row {"payload":"s","topic":"slice.planned","ts":"2026-01-01T00:00:00Z"}
            row {"payload":"b","topic":"slice.built","ts":"2026-01-01T00:00:00Z"}
            """)
    setup.eventLoop = ["max_iterations: 100000"]
    return setup
}

/// `setup` with a hook that keeps each run from its first row while a file `hold` is there.
func heldAtStart(_ setup: StandInSetup) -> StandInSetup {
    var setup = setup
    setup.sections = """
        hooks:
          enabled: true
          events:
            pre.loop.start:
              - name: hold
                command: [sh, -c, "while [ -e hold ]; do sleep 0.02; done"]
                on_error: warn
                timeout_seconds: 60
        """
    return setup
}

/// Runs `body` with a scene; whatever was started in it is ended afterwards.
func withScene(_ setup: StandInSetup, _ body: (ControllerScene) async throws -> Void) async throws {
    try await withStandInWorkspace(setup) { workspace in
        try await body(ControllerScene(workspace))
    }
}
