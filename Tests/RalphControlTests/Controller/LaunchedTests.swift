import Foundation
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

/// Launches that a server which died had begun, and whose process has not taken its lock.
@Suite(.timeLimit(.minutes(1))) struct LaunchedTests {
    /// Runs `body` with a process that never takes a lock, and a record of it.
    private func withHanging(
        _ phase: RunRecord.Phase, since: Int64,
        _ body: (ControllerScene, SessionController, ProcessIdentity) async throws -> Void
    ) async throws {
        try await withScene(rounds(20)) { scene in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sleep")
            process.arguments = ["60"]
            try process.run()
            defer { process.terminate() }
            let identity = try #require(ProcessIdentity(pid: process.processIdentifier))
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = identity
            record.phase = phase
            record.startedAt = since
            if phase == .resuming {
                record.isContinuing = true
                record.pause = .init(requestedAt: 1, effectiveAt: 1, by: "test")
                record.resume = .init(requestedAt: since, by: "test")
            }
            try await body(scene, scene.reborn(record), identity)
        }
    }

    @Test(arguments: [RunRecord.Phase.starting, .resuming])
    func `commands wait until its run is there`(phase: RunRecord.Phase) async throws {
        try await withHanging(phase, since: WallClock.milliseconds()) { _, controller, process in
            await controller.observe()

            #expect(await controller.record?.phase == phase)
            await #expect(throws: ControlError.starting) {
                try await controller.pause(now: false, by: "test")
            }
            await #expect(throws: ControlError.starting) {
                try await controller.steer("x", urgent: false, by: "test", marker: "cmd_1")
            }
            #expect(process.isAlive)

            let stop = try await controller.stop(force: true, by: "test")
            #expect(stop.endReason == "stopped" && !process.isAlive)
        }
    }

    @Test func `nothing begins beside a continuation that has yet to take its lock`() async throws {
        try await withHanging(.resuming, since: WallClock.milliseconds()) { scene, controller, process in
            try scene.workspace.put("agent/scratchpad.md")
            var beside = scene.plan
            beside.worktree = true
            let plan = beside

            await #expect(throws: ControlError.alreadyPaused(scene.directory.id)) {
                try await controller.start(plan, by: "test")
            }

            #expect(await controller.record?.phase == .resuming)
            #expect(process.isAlive)
        }
    }

    @Test func `a start is given up in time`() async throws {
        try await withHanging(.starting, since: WallClock.milliseconds() - 16_000) { _, controller, process in
            await controller.observe()
            #expect(await controller.record?.phase == .ended)
            #expect(!process.isAlive)
        }
    }

    @Test func `a run that might have gone to a worktree has its output`() async throws {
        try await withScene(rounds(20)) { scene in
            var plan = scene.plan
            plan.worktree = true
            let output = try #require(try await scene.controller.start(plan, by: "test").record.output)
            let starting = try #require(scene.log.records.last { $0.phase == .starting })
            #expect(starting.process != nil && starting.output == nil)

            let next = scene.reborn(starting)
            await next.observe()

            let record = await next.record
            #expect(record?.phase == .running && record?.output == output)
            _ = try await next.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [true, false])
    func `what was paused stays paused when nothing comes of its continuation`(isLate: Bool) async throws {
        let since = WallClock.milliseconds() - (isLate ? 16_000 : 0)
        try await withHanging(.resuming, since: since) { scene, controller, process in
            if !isLate {
                ProcessHandle(process)?.signal(SIGKILL)
                try await eventually(within: .seconds(10), "it is gone") { !process.isAlive }
            }
            await controller.observe()

            let record = await controller.record
            #expect(record?.phase == .halted && record?.pause != nil && record?.resume == nil)
            #expect(!process.isAlive)
            #expect(scene.log.notes.contains { if case .withdrawn(.resume) = $0 { true } else { false } })
            #expect(scene.log.last?.phase == .halted)
        }
    }

    @Test func `a start that came to nothing leaves what it was to take the place of paused`() async throws {
        try await withStandInWorkspace(rounds(20)) { workspace in
            let script = try workspace.outside.write("slow", "#!/bin/sh\nexec sleep 60\n")
            chmod(script, 0o755)
            let scene = ControllerScene(workspace, ralph: script)
            try await scene.haltRunOfOthers()
            let paused = try #require(await scene.controller.record)
            let (controller, plan) = (scene.controller, scene.plan)
            async let start = outcome { () async throws(ControlError) in
                try await controller.start(plan, by: "test").record.phase
            }
            try await eventually(within: .seconds(10), "its process") {
                scene.log.last?.phase == .starting && scene.log.last?.process != nil
            }
            let starting = try #require(scene.log.last)
            ProcessHandle(try #require(starting.process))?.signal(SIGKILL)
            guard case .failure = await start else {
                Issue.record("it began")
                return
            }

            let next = scene.reborn(starting)
            await next.observe()

            let record = await next.record
            #expect(record?.phase == .halted && record?.pause == paused.pause)
            #expect(record?.commandLine == paused.commandLine && record?.pausedBefore == nil)
            #expect(!scene.log.notes.contains { if case .ended = $0 { true } else { false } })
        }
    }

    @Test func `a run of somebody else in the place of a launch that came to nothing is told as one`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.phase = .starting
            record.startedAt = WallClock.milliseconds()

            let next = scene.reborn(record)
            await next.observe()

            #expect(await next.record?.phase == .running)
            #expect(await next.record?.process?.isAlive == true)
            #expect(!scene.log.notes.contains { if case .ended = $0 { true } else { false } })
            _ = try await next.stop(force: true, by: "test")
            _ = try await run.waitForExit()
        }
    }
}
