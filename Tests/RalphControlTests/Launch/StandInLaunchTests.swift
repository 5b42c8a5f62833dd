import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// The launcher with the stand-in, or the real ralph.
@Suite(.timeLimit(.minutes(2))) struct StandInLaunchTests {
    private func launcher(_ workspace: StandInWorkspace) -> RunLauncher {
        let environment = ControlSettings.childEnvironment(ProcessInfo.processInfo.environment)
            .merging(["HOME": workspace.outside.path]) { $1 }
        let settings = ControlSettings(
            ralph: StandIn.ralph, runs: workspace.outside.path + "/runs", environment: environment)
        return RunLauncher(settings: settings, logger: Logger(label: "test"))
    }

    private func start(_ workspace: StandInWorkspace, _ plan: LaunchPlan) async throws -> (
        SpawnedRun, Registration
    ) {
        let launcher = launcher(workspace)
        let run = try launcher.spawn(
            plan, session: SessionDirectory(workspace: plan.workspace).id, isContinuation: false)
        do throws(LaunchFailure) {
            return (run, try await launcher.waitForRegistration(run) { false })
        } catch {
            throw error.error
        }
    }

    private func setup(isRepository: Bool = false) -> StandInSetup {
        var setup = StandInSetup(steps: "always:\n  touch busy\n  wait-for go-on\n")
        setup.isRepository = isRepository
        return setup
    }

    @Test func `a run registers, its agents are in groups of their own, and all of it can be removed`()
        async throws
    {
        try await withStandInWorkspace(setup()) { workspace in
            let (run, registration) = try await start(workspace, LaunchPlan(workspace: workspace.path))
            #expect(registration == .primary(SessionDirectory(workspace: workspace.path)))
            try await workspace.waitForFile("busy")

            let tree = ProcessTree()
            #expect(tree.statuses(below: run.process).contains { $0.group != run.process.pid })
            #expect(!tree.agentGroups(of: run.process).isEmpty)
            #expect(tree.orphans(of: SessionDirectory(workspace: workspace.path)).isEmpty)

            let removal = await ProcessRemoval.remove(try #require(ProcessHandle(run.process)))
            #expect(removal.exit?.signal == SIGKILL)
            #expect(removal.left.isEmpty)
            #expect(workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `the gate suspends the run before its next iteration`() async throws {
        try await withStandInWorkspace(setup()) { workspace in
            let (run, _) = try await start(workspace, LaunchPlan(workspace: workspace.path))
            try await workspace.waitForFile("busy")
            try workspace.put("pause-requested")
            try workspace.setSteps("always:\n  emit slice.planned done\n")
            try workspace.directory.write("go-on", "")

            try await workspace.waitForFile(".ralph/suspend-state.json")

            #expect(run.process.isAlive)
            #expect(workspace.text(".ralph/suspend-state.json")?.contains("pause-gate") == true)
            _ = await ProcessRemoval.remove(try #require(ProcessHandle(run.process)))
        }
    }

    @Test func `a second start is refused, one in a worktree is not`() async throws {
        try await withStandInWorkspace(setup(isRepository: true)) { workspace in
            var plan = LaunchPlan(workspace: workspace.path)
            let (first, _) = try await start(workspace, plan)
            await #expect(throws: ControlError.alreadyRunning(SessionDirectory(workspace: workspace.path).id))
            {
                _ = try await start(workspace, plan)
            }
            plan.worktree = true

            let (second, registration) = try await start(workspace, plan)

            guard case .worktree(let directory, let loopID) = registration else {
                Issue.record("\(registration)")
                return
            }
            #expect(directory == SessionDirectory(workspace: "\(workspace.path)/.worktrees/\(loopID)"))
            #expect(LivenessProbe.isRunning(directory))
            for run in [first, second] {
                _ = await ProcessRemoval.remove(try #require(ProcessHandle(run.process)))
            }
            #expect(!LivenessProbe.isRunning(directory))
        }
    }

    @Test func `a continuation without its scratchpad says what ralph says`() async throws {
        try await withStandInWorkspace(setup()) { workspace in
            let launcher = launcher(workspace)
            let run = try launcher.spawn(
                LaunchPlan(workspace: workspace.path), session: SessionID(digestPrefix: 1),
                isContinuation: true)

            let error = await #expect(throws: LaunchFailure.self) {
                _ = try await launcher.waitForRegistration(run) { false }
            }

            guard case .failedToSpawn(let reason) = error?.error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(!reason.isEmpty && !reason.hasPrefix("exited"))
            #expect(workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `an agent that outlives a headless ralph is an orphan`() async throws {
        try await withStandInWorkspace(setup()) { workspace in
            let ralph = try workspace.run()
            try await workspace.waitForFile("busy")
            let directory = SessionDirectory(workspace: workspace.path)
            #expect(ProcessTree().orphans(of: directory).isEmpty)

            ralph.signal(SIGKILL)
            try await ralph.waitForExit()

            let orphans = ProcessTree().orphans(of: directory)
            #expect(
                Set(orphans.flatMap { $0.members.map(\.pid) }) == Set(workspace.liveProcesses().map(\.pid)))
            #expect(!orphans.isEmpty)
            for group in orphans { #expect(group.signal(SIGKILL)) }
            try await eventually(within: .seconds(10)) { workspace.liveProcesses().isEmpty }
        }
    }
}
