import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(2))) struct ContinuationTests {
    @Test func `a run that was started elsewhere is paused by its end and continued as it was`() async throws
    {
        try await withScene(rounds(30)) { scene in
            let run = try scene.workspace.run(["--no-tui", "-p", "# Goal from the flag"])
            try await scene.workspace.waitForTopic("iteration.summary")

            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(pause.changed)
            try await scene.reach(.halted)
            #expect(try await run.waitForExit() == .code(1))
            let iterations = scene.iterations
            #expect(scene.leftovers.isEmpty)

            let resume = try await scene.controller.resume(by: "test")

            #expect(resume.changed && resume.effectiveAt != nil)
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations }
            let record = try #require(await scene.controller.record)
            #expect(record.phase == .running && record.hasGate)
            let words = try #require(record.process?.commandLine)
            #expect(words.contains("--no-tui") && words.contains("# Goal from the flag"))
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a resume of a run whose stop file is already taken continues it`() async throws {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            for _ in 0..<5 {
                _ = try await scene.controller.pause(now: false, by: "test")
                _ = try await scene.controller.resume(by: "test")
            }
            try await scene.reach(.running)
            let iterations = scene.iterations
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations }
            _ = try await scene.controller.stop(force: true, by: "test")
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a run that ends by its pause while it is looked at is continued`() async throws {
        try await withScene(rounds(20)) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            run.signal(SIGSTOP)
            _ = try await scene.controller.pause(now: false, by: "test")
            let facts = await scene.controller.facts()
            run.signal(SIGCONT)
            _ = try await run.waitForExit()

            #expect(try await scene.controller.requireRun(facts).phase == .pausing)

            _ = try await scene.controller.resume(by: "test")
            try await scene.reach(.running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a paused run whose continuation fails stays paused`() async throws {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.halted)
            try scene.workspace.directory.write("ralph.yml", "cli: [broken")

            await #expect(throws: ControlError.self) { try await scene.controller.resume(by: "test") }

            #expect(await scene.controller.record?.phase == .halted)
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a paused run that is stopped is over`() async throws {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.halted)

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(!stop.already && !stop.forced)
            #expect(scene.log.events == ["session.stopped"])
            await #expect(throws: ControlError.notRunning(status: "stopped")) {
                try await scene.controller.resume(by: "test")
            }
        }
    }

    @Test func `the limit of iterations is raised for a run that has reached it`() async throws {
        var setup = rounds(10)
        setup.eventLoop = ["max_iterations: 2"]
        try await withScene(setup) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            _ = try await run.waitForExit()
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.phase = .halted
            record.commandLine = ["ralph", "run", "--rpc"]
            let controller = scene.reborn(record)

            _ = try await controller.resume(by: "test")

            try await eventually(within: .seconds(10), "iterations") { scene.iterations > 2 }
            #expect(scene.log.records.contains { $0.phase == .running })
            _ = try await controller.stop(force: true, by: "test")
        }
    }

    /// Waits until a run of six seconds is suspended and beyond its time.
    private func suspendBeyondItsTime(_ scene: ControllerScene) async throws {
        try await scene.controller.start(scene.plan, by: "test")
        _ = try await scene.controller.pause(now: false, by: "test")
        try await scene.reach(.suspended)
        let paused = try #require(await scene.controller.record?.pause?.effectiveAt)
        try await eventually(within: .seconds(10), "the end of its time") {
            WallClock.milliseconds() > paused + 6000
        }
    }

    private func raiseLimit(_ scene: ControllerScene) throws {
        let config = try String(contentsOfFile: scene.workspace.configuration, encoding: .utf8)
        try config.replacing("max_runtime_seconds: 6", with: "max_runtime_seconds: 3600")
            .write(toFile: scene.workspace.configuration, atomically: true, encoding: .utf8)
    }

    @Test(arguments: [false, true])
    func `a run whose time went by while it was paused has it anew`(isRaised: Bool) async throws {
        var setup = rounds(200)
        setup.eventLoop = ["max_runtime_seconds: 6"]
        try await withScene(setup) { scene in
            try await suspendBeyondItsTime(scene)
            // The run that waits goes by what it began with.
            if isRaised { try raiseLimit(scene) }
            let iterations = scene.iterations

            let resume = try await scene.controller.resume(by: "test")

            #expect(resume.changed && resume.effectiveAt != nil)
            #expect(await scene.controller.record?.phase == .running)
            try await eventually(within: .seconds(10), "iterations") { scene.iterations > iterations + 1 }
            #expect(scene.leftovers.isEmpty)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a run whose time went by is not ended while a merge waits for that`() async throws {
        var setup = rounds(200)
        setup.eventLoop = ["max_runtime_seconds: 6"]
        try await withScene(setup) { scene in
            try await suspendBeyondItsTime(scene)
            let merge = try await scene.queueMerge()

            #expect(try await scene.controller.resume(by: "test").changed)

            // It has the one iteration.
            #expect(scene.log.records.allSatisfy { $0.isRenewed != true })
            #expect(!scene.workspace.exists(".ralph/stop-requested"))
            merge.signal(SIGKILL)
        }
    }

    @Test func `a run that ends too slowly to go on anew is still paused, and does with the next resume`()
        async throws
    {
        var setup = rounds(200)
        setup.eventLoop = ["max_runtime_seconds: 6"]
        try await withScene(setup) { scene in
            try await suspendBeyondItsTime(scene)
            try raiseLimit(scene)
            let process = try #require(await scene.controller.record?.process)
            kill(process.pid, SIGSTOP)
            await #expect(throws: ControlError.ending) { try await scene.controller.resume(by: "test") }
            #expect(await scene.controller.record?.phase == .pausing)
            let iterations = scene.iterations

            kill(process.pid, SIGCONT)
            _ = try await scene.controller.resume(by: "test")

            #expect(await scene.controller.record?.phase == .running)
            try await eventually(within: .seconds(10), "iterations") { scene.iterations > iterations + 1 }
            #expect(scene.leftovers.isEmpty)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `the clock of a run stands while the machine sleeps`() {
        var record = RunRecord(session: SessionID(digestPrefix: 1), directory: "/w/.ralph")
        #expect(record.age(since: 1000, at: 9000, slept: 5000) == 8000)
        record.sleptBefore = 3000
        #expect(record.age(since: 1000, at: 9000, slept: 5000) == 6000)
        #expect(record.age(since: 1000, at: 9000, slept: 0) == 8000)
    }

    @Test func `a finished run that keeps its process for an open input is ended and continued`() async throws
    {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()

            _ = try await scene.controller.resume(by: "test")
            try await scene.reach(.running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a parallel loop is a session of its own that is paused, resumed and stopped`() async throws {
        var setup = rounds(20)
        setup.isRepository = true
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            var plan = scene.plan
            plan.worktree = true

            let record = try await scene.controller.start(plan, by: "test").record

            #expect(record.session != scene.directory.id.rawValue)
            let workspace = try #require(record.plan?.workspace)
            let session = DiscoveredSession(
                directory: SessionDirectory(workspace: workspace),
                loopID: (workspace as NSString).lastPathComponent, worktreeOf: scene.workspace.path)
            let controller = SessionController(
                session: session, record: record, settings: scene.settings, reports: scene.log.reports,
                logger: Logger(label: "test"))
            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.suspended, controller)
            _ = try await controller.resume(by: "test")
            try await scene.reach(.running, controller)
            let stop = try await controller.stop(force: false, by: "test")
            #expect(stop.endReason == "stopped")
            #expect(await scene.controller.record?.process?.isAlive == true)
            _ = try await scene.controller.stop(force: true, by: "test")
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }

    /// - Parameter isRoot: the worktree is a root itself, and the main workspace is in none.
    @Test(arguments: [false, true])
    func `a parallel loop that was started elsewhere is continued in its worktree`(isRoot: Bool) async throws
    {
        var setup = rounds(20)
        setup.isRepository = true
        try await withScene(setup) { scene in
            let controller = try await scene.startLoopOfOthers(isRoot: isRoot)

            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.halted, controller)
            let resume = try await controller.resume(by: "test")
            #expect(resume.effectiveAt != nil)
            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.suspended, controller)

            _ = try await controller.stop(force: false, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
            #expect(scene.workspace.liveProcesses().isEmpty)
        }
    }
}
