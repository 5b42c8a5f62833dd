import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(2))) struct StopTests {
    /// What must hold after any stop: nothing alive, no control file, an end in the events.
    private func expectGone(_ scene: ControllerScene) {
        #expect(scene.workspace.liveProcesses().isEmpty)
        #expect(scene.leftovers.isEmpty)
        #expect(scene.workspace.topics.last == "loop.terminate")
        #expect(scene.log.last?.phase == .ended)
        #expect(ProcessTree().orphans(of: scene.directory).isEmpty)
    }

    @Test func `a run that obeys its stop file ends orderly`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.controller.start(scene.plan, by: "test")

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(!stop.already && !stop.forced)
            #expect(stop.exit?.code == 1)
            #expect(stop.endReason == "stopped")
            expectGone(scene)
            #expect(scene.log.notes.contains { if case .requested(.stop, _) = $0 { true } else { false } })
            #expect(try await scene.controller.stop(force: false, by: "test").already)
        }
    }

    @Test(arguments: [[], ["--ignore-term"]]) func `a long iteration is cut short`(agent: [String])
        async throws
    {
        var setup = gated(hold: "never")
        setup.agentArguments = agent
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(stop.forced)
            #expect(stop.endReason == "stopped")
            expectGone(scene)
        }
    }

    @Test func `a forced stop does not wait for a gentle one`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")
            let controller = scene.reborn(nil, stopGrace: .seconds(60))
            async let gentle = controller.stop(force: false, by: "gentle")
            try await scene.workspace.waitForFile(".ralph/stop-requested")

            let start = ContinuousClock.now
            let forced = try await controller.stop(force: true, by: "forced")

            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(forced.already)
            #expect(try await gentle.forced)
            _ = try await run.waitForExit()
            expectGone(scene)
        }
    }

    @Test func `a suspended run ends by its stop file alone`() async throws {
        try await withScene(rounds(10)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.suspended)

            let stop = try await scene.controller.stop(force: true, by: "test")

            #expect(!stop.forced)
            expectGone(scene)
        }
    }

    @Test func `a run that waits for a person is ended without an answer`() async throws {
        var setup = StandInSetup(steps: "always:\nask Which one?\n")
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 0}"
        try await withScene(setup) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile(".ralph/api/robot-question.json")

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(stop.forced)
            #expect(!scene.workspace.topics.contains("human.response"))
            expectGone(scene)
        }
    }

    @Test(arguments: [false, true])
    func `a run that was started elsewhere is stopped with its headless agent`(force: Bool) async throws {
        try await withScene(gated(hold: "never")) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")

            let stop = try await scene.controller.stop(force: force, by: "test")

            #expect(stop.forced)
            _ = try await run.waitForExit()
            expectGone(scene)
        }
    }

    @Test func `an agent that outlived its ralph is found and ended`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")
            run.signal(SIGKILL)
            _ = try await run.waitForExit()
            #expect(!scene.workspace.agents().isEmpty)

            let stop = try await scene.controller.stop(force: false, by: "test")

            #expect(!stop.already && stop.forced)
            expectGone(scene)
            #expect(scene.workspace.endReason == "stopped")
        }
    }

    @Test func `an agent that outlived a run whose end is told is ended as of that run`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForFile("began")
            // The run is known, and so is its agent.
            let record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            let controller = scene.reborn(record)
            try await scene.reach(.running, controller)
            run.signal(SIGKILL)
            _ = try await run.waitForExit()
            try await scene.reach(.ended, controller)
            #expect(!scene.workspace.agents().isEmpty)

            let stop = try await controller.stop(force: false, by: "test")

            #expect(!stop.already && stop.forced)
            #expect(stop.endReason == "crashed")
            #expect(scene.workspace.endReason == "crashed")
            expectGone(scene)
        }
    }

    @Test func `a stop overtakes the pauses that wait`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let controller = scene.controller
            await withTaskGroup(of: Result<Bool, ControlError>.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await outcome { () async throws(ControlError) in
                            _ = try await controller.pause(now: false, by: "test")
                            return true
                        }
                    }
                }
                group.addTask {
                    await outcome { () async throws(ControlError) in
                        try await controller.stop(force: true, by: "test").forced
                    }
                }
                for await result in group {
                    // Whichever came in time was answered; the others were overtaken or came behind the end.
                    switch result {
                    case .success(let isDone): #expect(isDone)
                    case .failure(let error):
                        #expect(error == .superseded || error == .notRunning(status: "stopped"))
                    }
                }
            }

            expectGone(scene)
        }
    }

    @Test func `a deleted workspace does not keep its run alive`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            try scene.workspace.directory.remove(".ralph")

            _ = try await scene.controller.stop(force: false, by: "test")

            #expect(scene.log.last?.phase == .ended)
            let process = scene.log.records.compactMap(\.process).last
            #expect(process?.isAlive == false)
            #expect(scene.workspace.agents().isEmpty)
        }
    }

    @Test func `a paused run whose workspace was deleted waits on, and its stop is told`() async throws {
        try await withScene(gated(hold: "go")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            _ = try await scene.controller.pause(now: false, by: "test")
            try scene.workspace.directory.write("go", "")
            try await scene.reach(.suspended)
            try scene.workspace.directory.remove(".ralph")

            await scene.controller.observe()
            #expect(await scene.controller.record?.phase == .suspended)
            let pause = try await scene.controller.pause(now: false, by: "test")
            #expect(!pause.changed && !pause.isPending)
            await #expect(throws: ControlError.self) { _ = try await scene.controller.resume(by: "test") }
            #expect(await scene.controller.record?.phase == .suspended)
            #expect(!scene.log.events.contains("session.resumed"))

            let outcome = try await scene.controller.stop(force: true, by: "test")

            #expect(outcome.endReason == "stopped")
            let isTold = scene.log.notes.contains {
                if case .ended("stopped", _) = $0 { true } else { false }
            }
            #expect(isTold)
            #expect(scene.log.last?.phase == .ended)
        }
    }

    @Test func `a stop that could not be stored is stored by the next look`() async throws {
        try await withScene(rounds(20)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            scene.log.failure = ControlError.busy
            _ = try await scene.controller.stop(force: true, by: "test")
            #expect(scene.log.last?.phase != .ended)

            scene.log.failure = nil
            await scene.controller.observe()

            #expect(scene.log.last?.phase == .ended)
            #expect(scene.log.last?.exit?.code != nil || scene.log.last?.exit?.signal != nil)
        }
    }

    @Test func `thirty starts and stops leave no zombie, no descriptor and no file`() async throws {
        try await withScene(rounds(5)) { scene in
            let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            let zombies = {
                Set(ProcessSnapshot.all().filter { $0.parent == getpid() && !$0.isLiving }.map(\.pid))
            }
            // Other tests of this process may have left some.
            let strangers = zombies()
            var before = 0
            for index in 0..<30 {
                try await scene.controller.start(scene.plan, by: "test")
                _ = try await scene.controller.stop(force: index % 3 == 2, by: "test")
                expectGone(scene)
                if index == 4 { before = try descriptors() }
            }
            let after = try descriptors()
            #expect(after <= before)
            #expect(zombies().subtracting(strangers).isEmpty)
        }
    }
}
