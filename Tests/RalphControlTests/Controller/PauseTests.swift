import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(2))) struct PauseTests {
    @Test func `a pause holds the next iteration back and a resume lets it go on`() async throws {
        try await withScene(rounds(30)) { scene in
            try await scene.controller.start(scene.plan, by: "test")

            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(pause.changed)
            try await scene.reach(.suspended)
            let iterations = scene.iterations
            #expect(scene.workspace.exists(".ralph/suspend-state.json"))
            #expect(try await !scene.controller.pause(now: false, by: "test").changed)

            let resume = try await scene.controller.resume(by: "test")
            #expect(resume.changed && resume.effectiveAt != nil)
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations }
            #expect(scene.log.events == ["session.paused", "session.resumed"])
            #expect(scene.leftovers.isEmpty)
            #expect(try await !scene.controller.resume(by: "test").changed)
        }
    }

    @Test func `a resume before the boundary takes the pause back`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(pause.isPending && pause.effectiveAt == nil)

            let resume = try await scene.controller.resume(by: "test")

            #expect(resume.changed && resume.effectiveAt != nil)
            try scene.workspace.directory.write("go", "")
            try await eventually(within: .seconds(10), "iterations") { scene.iterations >= 2 }
            #expect(scene.log.events.isEmpty)
            #expect(scene.leftovers.isEmpty)
        }
    }

    @Test func `a pending pause whose gate is taken away is taken back, and can be asked for again`()
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            try scene.workspace.directory.remove(".ralph/pause-requested")

            await scene.controller.observe()

            #expect(await scene.controller.record?.phase == .running)
            #expect(await scene.controller.record?.pause == nil)
            let again = try await scene.controller.pause(now: false, by: "test")
            #expect(again.changed && again.isPending)
            #expect(scene.workspace.exists(".ralph/pause-requested"))
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.suspended)
        }
    }

    @Test(arguments: [true, false])
    func `a pause whose stop file is taken away ends when the run goes on`(_ isAskedAgain: Bool)
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            let run = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            try scene.workspace.directory.remove(".ralph/stop-requested")
            await scene.controller.observe()
            // It may have been honoured just now.
            #expect(await scene.controller.record?.phase == .pausing)
            if isAskedAgain { #expect(try await !scene.controller.pause(now: false, by: "test").changed) }

            try scene.workspace.directory.write("go", "")

            try await scene.reach(isAskedAgain ? .halted : .running)
            if isAskedAgain {
                _ = try await run.waitForExit()
            } else {
                #expect(await scene.controller.record?.pause == nil)
                #expect(try await !scene.controller.resume(by: "test").changed)
                _ = try await scene.controller.stop(force: true, by: "test")
            }
        }
    }

    @Test(arguments: [true, false])
    func `a resume of a run whose stop file was taken away finds it going on`(_ isAskedAgain: Bool)
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            _ = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            try scene.workspace.directory.remove(".ralph/stop-requested")
            let controller = scene.controller
            if isAskedAgain {
                await controller.observe()
                _ = try await controller.pause(now: false, by: "test")
            }
            async let resume = controller.resume(by: "test")
            try scene.workspace.directory.write("go", "")

            #expect(try await resume.changed)
            #expect(await controller.record?.phase == .running)
            _ = try await controller.stop(force: true, by: "test")
        }
    }

    @Test func `a resume of a run that has honoured its pause and whose process stays continues it`()
        async throws
    {
        try await withScene(gated(hold: "go")) { scene in
            _ = try scene.workspace.run(["--rpc"], hasInput: true)
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            try scene.workspace.directory.write("go", "")
            try await eventually(within: .seconds(10), "honoured") {
                !scene.workspace.exists(".ralph/stop-requested")
            }

            #expect(try await scene.controller.resume(by: "test").changed)

            #expect(await scene.controller.record?.phase == .running)
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a pause now ends the agent at once`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")

            _ = try await scene.controller.pause(now: false, by: "test")
            _ = try await scene.controller.pause(now: true, by: "test")

            try await scene.reach(.suspended)
            #expect(scene.workspace.agents().isEmpty)
        }
    }

    @Test func `a pause that ends the agent of a pending one has changed something`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")

            #expect(try await scene.controller.pause(now: true, by: "test").changed)

            try await scene.reach(.suspended)
            #expect(try await !scene.controller.pause(now: true, by: "test").changed)
        }
    }

    @Test(arguments: [(true, "error"), (false, "completed")])
    func `a pause of a run that ends meanwhile says so`(_ isKilled: Bool, _ status: String) async throws {
        var setup = gated(hold: "go")
        setup.eventLoop = ["max_iterations: 1"]
        try await withScene(setup) { scene in
            let record = try await scene.controller.start(scene.plan, by: "test").record
            try await scene.workspace.waitForFile("began")
            let process = try #require(record.process)
            let go = scene.workspace.path + "/go"
            // Between the store, which is first, and what the pause does then.
            let save = { @Sendable (record: RunRecord) in
                guard record.phase == .pausing, process.isAlive else { return }
                if isKilled {
                    ProcessHandle(process)?.signal(SIGKILL)
                } else {
                    close(open(go, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
                }
                let deadline = ContinuousClock.now + .seconds(20)
                while process.isAlive, ContinuousClock.now < deadline { sched_yield() }
            }
            let controller = SessionController(
                session: DiscoveredSession(directory: scene.directory), record: record,
                settings: scene.settings,
                reports: ControlReports(save: save, note: { _, _ in }), logger: Logger(label: "test"))

            await #expect(throws: ControlError.notRunning(status: status)) {
                try await controller.pause(now: false, by: "test")
            }

            #expect(await controller.record?.phase == .ended)
            #expect(scene.leftovers.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a run whose lock file is deleted or replaced is paused and goes on`(_ isDeleted: Bool)
        async throws
    {
        try await withScene(rounds(30)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            let text = scene.workspace.text(".ralph/loop.lock") ?? ""
            try scene.workspace.directory.remove(".ralph/loop.lock")
            if !isDeleted { try scene.workspace.put("loop.lock", text) }

            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)
            _ = try await scene.controller.resume(by: "test")

            try await scene.reach(.running)
            #expect(scene.log.events == ["session.paused", "session.resumed"])
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `fifty pauses and resumes in a row end where they should`() async throws {
        try await withScene(rounds(5)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            for _ in 0..<50 {
                _ = try await scene.controller.pause(now: false, by: "test")
                _ = try await scene.controller.resume(by: "test")
            }
            try await scene.reach(.running)
            let iterations = scene.iterations
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations + 1 }
            #expect(scene.leftovers.isEmpty)

            _ = try await scene.controller.pause(now: false, by: "last")
            try await scene.reach(.suspended)
        }
    }

    @Test func `two clients that pause and resume at once leave a state that holds`() async throws {
        try await withScene(rounds(5)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            let controller = scene.controller
            let successes = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        var count = 0
                        for _ in 0..<10 {
                            // Each is answered; what wins is shown by the state.
                            if (try? await controller.pause(now: false, by: "test")) != nil { count += 1 }
                            if (try? await controller.resume(by: "test")) != nil { count += 1 }  // too
                        }
                        return count
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(successes > 0)
            _ = try await scene.controller.resume(by: "last")
            try await scene.reach(.running)
            let iterations = scene.iterations
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations + 1 }
        }
    }

    @Test func `a run that somebody stops while its pause is pending is over`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            try scene.workspace.put("stop-requested")
            try scene.workspace.directory.write("go", "")

            try await scene.reach(.ended)
            await #expect(throws: ControlError.notRunning(status: "stopped")) {
                try await scene.controller.resume(by: "test")
            }
        }
    }

    /// Rounds that a hook of the owner suspends while `own-gate` is there.
    private static func heldByOwner(mode: String) -> StandInSetup {
        var setup = rounds(20)
        setup.sections = """
            hooks:
              enabled: true
              events:
                pre.iteration.start:
                  - name: own
                    command: [test, "!", -e, own-gate]
                    on_error: suspend
                    suspend_mode: \(mode)
            """
        return setup
    }

    @Test func `a hook of the owner that is tried again says no again, and is resumed once more`()
        async throws
    {
        try await withScene(Self.heldByOwner(mode: "wait_then_retry")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try scene.workspace.directory.write("own-gate", "")
            try await scene.reach(.suspended)
            let iterations = scene.iterations

            #expect(try await scene.controller.resume(by: "test").changed)
            try await eventually(within: .seconds(10), "the second no") {
                scene.workspace.exists(".ralph/suspend-state.json")
                    && !scene.workspace.exists(".ralph/resume-requested")
            }
            try await scene.reach(.suspended)
            #expect(scene.iterations == iterations)
            #expect(try await scene.controller.resume(by: "test").changed)
            try await eventually(within: .seconds(10), "next iteration") { scene.iterations > iterations }
        }
    }

    @Test(arguments: [true, false])
    func `a resume that the run does not take can be asked for again, and taken back`(isOurs: Bool)
        async throws
    {
        try await withScene(Self.heldByOwner(mode: "wait_for_resume")) { scene in
            if isOurs {
                try await scene.controller.start(scene.plan, by: "test")
            } else {
                _ = try scene.workspace.run(["--no-tui"])
            }
            try scene.workspace.directory.write("own-gate", "")
            try await scene.workspace.waitForFile(".ralph/suspend-state.json")
            // It is no news, and makes one from elsewhere known here.
            #expect(try await !scene.controller.pause(now: false, by: "test").changed)
            let process = try #require(await scene.controller.record?.process)
            #expect(kill(process.pid, SIGSTOP) == 0)
            defer { kill(process.pid, SIGCONT) }

            let resume = try await scene.controller.resume(by: "test")
            #expect(resume.changed && resume.effectiveAt == nil)
            #expect(await scene.controller.record?.phase == .suspended)
            #expect(try await scene.controller.resume(by: "test").changed)
            // It may be taken at any moment.
            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(pause.changed && !scene.workspace.exists(".ralph/resume-requested"))
            #expect(await scene.controller.record?.phase == .suspended)
            #expect(!scene.workspace.exists(".ralph/stop-requested"))
            // Nor does it matter who asked.
            try scene.workspace.directory.write(".ralph/resume-requested", "")
            #expect(try await scene.controller.pause(now: false, by: "test").changed)
            #expect(!scene.workspace.exists(".ralph/resume-requested"))

            kill(process.pid, SIGCONT)
            try scene.workspace.directory.remove("own-gate")
            #expect(try await scene.controller.resume(by: "test").changed)
            try await scene.reach(.running)
        }
    }

    @Test func `a resume that the run does not live to take says so`() async throws {
        try await withScene(rounds(30)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)
            let process = try #require(await scene.controller.record?.process)
            #expect(kill(process.pid, SIGSTOP) == 0)
            let controller = scene.controller
            // Awaited below.
            let resume = Task { try await controller.resume(by: "test") }
            try await scene.workspace.waitForFile(".ralph/resume-requested")

            #expect(kill(process.pid, SIGKILL) == 0)

            await #expect(throws: ControlError.notRunning(status: "error")) { try await resume.value }
            #expect(await controller.record?.phase == .ended)
        }
    }

    @Test func `a suspension by a hook of the owner is shown and can be resumed`() async throws {
        try await withScene(Self.heldByOwner(mode: "wait_for_resume")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try scene.workspace.directory.write("own-gate", "")

            try await scene.reach(.suspended)
            let since = try #require(await scene.controller.record?.pause?.effectiveAt)
            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(!pause.changed && pause.requestedAt == since && pause.effectiveAt == since)
            // Another server, which knows nothing of it, has the time from the run's own file.
            let next = scene.reborn(nil)
            #expect(try await next.pause(now: false, by: "test").effectiveAt == since)
            try scene.workspace.directory.remove("own-gate")
            _ = try await scene.controller.resume(by: "test")

            try await scene.reach(.running)
        }
    }
}

/// Steps of an agent that holds its first iteration until a file is there.
func gated(hold file: String) -> StandInSetup {
    var setup = rounds(5)
    setup.steps = """
        iteration 1:
        touch began
        wait-for \(file)
        \(setup.steps)
        """
    return setup
}
