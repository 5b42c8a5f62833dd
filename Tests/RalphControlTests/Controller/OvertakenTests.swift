import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphControl

/// What a command finds is not what it was when it began, or not what it seems.
@Suite(.timeLimit(.minutes(2))) struct OvertakenTests {
    @Test func `a stop leaves the files of the next run alone`() async throws {
        var setup = gated(hold: "never")
        setup.agentArguments = ["--ignore-term"]
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let lock = open(scene.directory.lockFile, O_RDWR | O_CLOEXEC)
            defer { close(lock) }
            let path = scene.directory.path + "/pause-requested"
            let stop = scene.directory.stopRequested
            let sawStop = Atomic(false)
            // Whoever waits for the lock has it as soon as the run is over, and looks for the file at once.
            Thread.detachNewThread {
                flock(lock, LOCK_EX)
                sawStop.store(access(stop, F_OK) == 0, ordering: .releasing)
                close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
            }

            _ = try await scene.controller.stop(force: true, by: "test")

            #expect(!scene.workspace.topics.contains("loop.terminate"))
            #expect(scene.leftovers.contains("pause-requested"))
            #expect(!scene.leftovers.contains("stop-requested"))
            let isLeft = sawStop.load(ordering: .acquiring)
            #expect(!isLeft)
            #expect(scene.log.last?.phase == .ended)
        }
    }

    /// - Parameters:
    ///   - phase: of the run before, which died without a server that looked.
    ///   - isOlder: whether the stop file was made before the next run took the lock.
    @Test(arguments: [RunRecord.Phase.pausing, .stopping], [true, false])
    func `a stop file that a run did not live to honour does not end the next one`(
        _ phase: RunRecord.Phase, _ isOlder: Bool
    ) async throws {
        try await withScene(heldAtStart(rounds(20))) { scene in
            try scene.workspace.directory.write("hold", "")
            if isOlder {
                try scene.workspace.put("stop-requested")
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -5)],
                    ofItemAtPath: scene.directory.stopRequested)
            }
            _ = try scene.workspace.run()
            try await eventually(within: .seconds(20), "its lock") {
                scene.workspace.text(".ralph/loop.lock")?.contains("started") == true
            }
            if !isOlder { try scene.workspace.put("stop-requested") }
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: .max, startTicks: 1, bootID: "gone")
            record.startedAt = 1
            record.phase = phase
            if phase == .pausing { record.pause = .init(requestedAt: 2, by: "test") }
            if phase == .stopping { record.stop = .init(requestedAt: 2, by: "test") }

            let next = scene.reborn(record)
            try await scene.reach(.running, next)

            #expect(scene.workspace.exists(".ralph/stop-requested") != isOlder)
            try scene.workspace.directory.remove("hold")
            try await scene.workspace.waitForTopic(isOlder ? "iteration.summary" : "loop.terminate")
        }
    }

    @Test func `a lock that is left in a descriptor is no run, and nothing is started beside it`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
            let script = "exec 9<.ralph/loop.lock; flock 9; touch taken; exec sleep 60"
            _ = try scene.workspace.launch("/bin/sh", ["-c", script])
            try await scene.workspace.waitForFile("taken")

            await #expect(throws: ControlError.notRunning(status: "stopped")) {
                _ = try await scene.controller.pause(now: false, by: "test")
            }
            await #expect(throws: ControlError.alreadyRunning(scene.directory.id)) {
                try await scene.controller.start(scene.plan, by: "test")
            }
        }
    }

    @Test func `a run that is over is no run, though its process waits for its input`() async throws {
        var setup = rounds(20)
        setup.eventLoop = ["max_iterations: 1"]
        try await withScene(setup) { scene in
            let run = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForTopic("loop.terminate")

            await #expect(throws: ControlError.notRunning(status: "completed")) {
                _ = try await scene.controller.pause(now: false, by: "test")
            }
            await #expect(throws: ControlError.notRunning(status: "completed")) {
                try await scene.controller.steer("go on", urgent: false, by: "test", marker: "cmd_1")
            }
            #expect(run.isRunning)
            _ = try await scene.controller.stop(force: true, by: "test")
            #expect(!run.isRunning)
        }
    }

    @Test func `a pause that the run did not live to see is taken back`() async throws {
        var setup = gated(hold: "go")
        setup.eventLoop = ["max_iterations: 1"]
        try await withScene(setup) { scene in
            _ = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pausing = try #require(scene.log.last)
            #expect(pausing.phase == .pausing)
            // As if Ralph had not looked for it any more.
            try scene.workspace.directory.remove(".ralph/stop-requested")
            try scene.workspace.directory.write("go", "")
            try await scene.workspace.waitForTopic("loop.terminate")

            let next = scene.reborn(pausing)
            try await scene.reach(.running, next)

            #expect(scene.leftovers.isEmpty)
            #expect(scene.log.notes.contains(.withdrawn(.pause)))
            #expect(await next.record?.pause == nil)
        }
    }

    @Test func `a start that comes to nothing leaves a paused run paused`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.haltRunOfOthers()
            let paused = scene.log.last

            var plan = scene.plan
            plan.config = try scene.workspace.directory.write("bad.yml", "hooks: [1\n")
            await #expect(throws: ControlError.self) {
                try await scene.controller.start(plan, by: "test")
            }
            plan = scene.plan
            plan.prompt = .file("nowhere.md")
            await #expect(throws: ControlError.self) {
                try await scene.controller.start(plan, by: "test")
            }

            #expect(scene.log.last == paused)
            _ = try await scene.controller.resume(by: "test")
            try await scene.reach(.running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a resume that fails leaves the pause pending`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            let pending = scene.log.last
            // A directory cannot be removed as a file is.
            try scene.workspace.directory.remove(".ralph/pause-requested")
            try scene.workspace.directory.write(".ralph/pause-requested/x", "")

            await #expect(throws: ControlError.self) { _ = try await scene.controller.resume(by: "test") }

            #expect(scene.log.last == pending)
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.suspended)
            try scene.workspace.directory.remove(".ralph/pause-requested")
        }
    }

    @Test(arguments: [(Int64(0), RunRecord.Phase.ended), (.max, .halted)])
    func `a continuation that was spawned and died is over, and one that was not is paused still`(
        _ requestedAt: Int64, _ phase: RunRecord.Phase
    ) async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            _ = try await scene.controller.stop(force: true, by: "test")
            record.process = nil
            record.phase = .resuming
            record.resume = .init(requestedAt: requestedAt, by: "test")

            let next = scene.reborn(record)
            await next.observe()

            #expect(await next.record?.phase == phase)
        }
    }

    @Test func `a stop that was interrupted when ralph had ended ends its agents`() async throws {
        var setup = gated(hold: "never")
        setup.agentArguments = ["--ignore-term"]
        try await withScene(setup) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let process = try #require(record.process)
            record.agents = ProcessTree().agentGroups(of: process)
            record.phase = .stopping
            ProcessHandle(process)?.signal(SIGKILL)
            try await eventually(within: .seconds(10), "ralph is gone") { !process.isAlive }

            let next = scene.reborn(record)
            try await scene.reach(.ended, next)

            #expect(scene.workspace.liveProcesses().isEmpty)
            #expect(scene.workspace.topics.last == "loop.terminate")
        }
    }

    @Test func `a run that had begun when a stop overtook its start has its end`() async throws {
        try await withStandInWorkspace(rounds(50)) { workspace in
            let row = #"{"ts":"2026-11-21T03:20:36Z","iteration":0,"hat":"loop","topic":"task.start"}"#
            let script = try workspace.outside.write(
                "slow",
                "#!/bin/sh\nmkdir -p .ralph\nprintf '%s\\n' '\(row)' > .ralph/events.jsonl\ntouch hung\nexec sleep 60\n"
            )
            chmod(script, 0o755)
            let scene = ControllerScene(workspace, ralph: script)
            let (controller, plan) = (scene.controller, scene.plan)
            async let start: Void = {
                await #expect(throws: ControlError.superseded) {
                    try await controller.start(plan, by: "test")
                }
            }()
            try await workspace.waitForFile("hung")

            _ = try await scene.controller.stop(force: false, by: "test")
            await start

            let rows = workspace.text(".ralph/events.jsonl") ?? ""
            #expect(rows.contains("loop.terminate") && rows.contains("## Reason\\nstopped"))
            #expect(scene.log.last?.phase == .ended)
        }
    }

    @Test func `a stop of a paused run that was interrupted is told once`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            _ = try await scene.controller.stop(force: true, by: "test")
            record.process = nil
            record.phase = .stopping
            record.stopsHalted = true
            record.stop = .init(requestedAt: 1, by: "test")

            let next = scene.reborn(record)
            for _ in 0..<3 { await next.observe() }

            #expect(await next.record?.phase == .ended)
            #expect(scene.log.events == ["session.stopped"])
        }
    }

    @Test func `a continuation that goes on is not told as woken`() async throws {
        try await withScene(rounds(20)) { scene in
            var record = try await scene.controller.start(scene.plan, by: "test").record
            record.phase = .resuming
            record.isContinuing = true
            record.pause = .init(requestedAt: 1, by: "test")
            record.resume = .init(requestedAt: 2, by: "test")

            let next = scene.reborn(record)
            await next.observe()

            let now = await next.record
            #expect(now?.phase == .running && now?.pause == nil && now?.resume?.effectiveAt != nil)
            #expect(scene.log.events.isEmpty)
        }
    }

    @Test func `what cannot be stored keeps nobody from pausing and stopping`() async throws {
        try await withScene(rounds(20)) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            let reports = ControlReports(
                save: { _ in throw ControlError.unwritable(path: "x", reason: "full") }, note: { _, _ in })
            let controller = SessionController(
                session: DiscoveredSession(directory: scene.directory), record: record,
                settings: scene.settings, reports: reports, logger: Logger(label: "test"))

            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.suspended, controller)
            _ = try await controller.stop(force: false, by: "test")

            #expect(scene.workspace.liveProcesses().isEmpty && scene.leftovers.isEmpty)
        }
    }
}
