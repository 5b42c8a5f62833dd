import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// Loops in worktrees, which the controller of the main workspace starts and another one goes on with.
@Suite(.timeLimit(.minutes(1))) struct HandedTests {
    /// Runs `body` with a loop that was started beside a run, and a controller of its session that knows nothing of it.
    private func withLoop(
        _ setup: StandInSetup,
        _ body: (ControllerScene, StartedRun, SessionController) async throws -> Void
    ) async throws {
        var setup = setup
        setup.isRepository = true
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            var plan = scene.plan
            plan.worktree = true
            let run = try await scene.controller.start(plan, by: "test")
            let workspace = try #require(run.record.plan?.workspace)
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: workspace),
                loopID: (workspace as NSString).lastPathComponent, worktreeOf: scene.workspace.path)
            var past = RunRecord(session: session.id, directory: session.directory.path)
            past.phase = .ended
            let controller = SessionController(
                session: session, record: past, settings: scene.settings, reports: scene.log.reports,
                logger: Logger(label: "test"))
            try await body(scene, run, controller)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    /// Kills the loop, which the controller that has it reaps.
    private func expectReaped(_ run: StartedRun, by controller: SessionController) async throws {
        let process = try #require(run.record.process)
        ProcessHandle(process)?.signal(SIGKILL)
        try await eventually(within: .seconds(10), "the end is known") {
            await controller.observe()
            return await controller.record?.exit?.signal == SIGKILL
        }
        #expect(ProcessHandle(process) == nil)
    }

    @Test func `no loop begins beside a run whose pause it would take over`() async throws {
        var setup = rounds(20)
        setup.isRepository = true
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)
            var beside = scene.plan
            beside.worktree = true
            let plan = beside
            try scene.workspace.directory.write(".gitignore", ".worktrees/\n")

            await #expect(throws: ControlError.wouldInherit(file: "pause-requested")) {
                try await scene.controller.start(plan, by: "test")
            }
            #expect(!scene.workspace.exists(".worktrees"))

            try scene.workspace.directory.write(".gitignore", ".ralph/\n.worktrees/\n")
            let run = try await scene.controller.start(plan, by: "test")
            #expect(run.record.session != scene.directory.id.rawValue)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [("--rpc", true), ("--no-tui", false)])
    func `an urgent text is shown at once only where the agent of a loop looks`(mode: String, isShown: Bool)
        async throws
    {
        var setup = gated(hold: "never")
        setup.isRepository = true
        try await withScene(setup) { scene in
            let loop = try await scene.startLoopOfOthers(isRoot: false, mode: mode)

            let steer = try await loop.steer("use tabs", urgent: true, by: "test", marker: "cmd_1")

            #expect(steer.isShownAtOnce == isShown)
            let directory = try #require(await loop.record?.directory)
            #expect(
                FileManager.default.fileExists(atPath: directory + "/urgent-steer.json") == isShown)
            #expect(!scene.workspace.exists(".ralph/urgent-steer.json"))
            _ = try await loop.stop(force: true, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a run in a worktree is reaped by its own controller`() async throws {
        try await withLoop(rounds(20)) { _, run, controller in
            await controller.take(run)

            #expect(await controller.record?.plan == run.record.plan)
            try await expectReaped(run, by: controller)
        }
    }

    @Test func `a pause of a loop that was found before it was handed over holds on`() async throws {
        try await withLoop(gated(hold: "never")) { scene, run, controller in
            try await scene.reach(.running, controller)
            // Before its iteration it would be paused at once.
            try await eventually(within: .seconds(20), "both agents") {
                scene.workspace.agents().count == 2
            }
            #expect(await controller.record?.hasGate == true)
            #expect(await controller.record?.output == run.record.output)
            let pause = try await controller.pause(now: false, by: "test")
            #expect(pause.isPending)

            await controller.take(run)

            let record = try #require(await controller.record)
            #expect(record.phase == .pausing && record.pause?.by == "test")
            #expect(record.plan == run.record.plan && record.commandLine == nil)
            #expect(FileManager.default.fileExists(atPath: record.directory + "/pause-requested"))
            #expect(scene.log.last == record)
            try await expectReaped(run, by: controller)
        }
    }

    @Test func `a loop that was stopped before it was handed over is over`() async throws {
        try await withLoop(gated(hold: "never")) { _, run, controller in
            try await controller.stop(force: true, by: "test")

            await controller.take(run)

            let record = try #require(await controller.record)
            #expect(record.phase == .ended)
            #expect(record.exit?.code != nil || record.exit?.signal != nil)
            #expect(run.record.process.flatMap { ProcessHandle($0) } == nil)
        }
    }

    @Test func `a run that is over when it is handed over does not take the place of one that goes on`()
        async throws
    {
        try await withLoop(rounds(20)) { scene, run, controller in
            let process = try #require(run.record.process)
            ProcessHandle(process)?.signal(SIGKILL)
            try await eventually(within: .seconds(10), "the end") { !process.isAlive }
            let other = try #require(await scene.controller.record)

            await scene.controller.take(run)

            #expect(await scene.controller.record?.process == other.process)
            #expect(ProcessHandle(process) == nil)
        }
    }
}
