import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

/// Runs with `enforce_hat_scope`, where Ralph drops what a hat at work may not publish (contract 2.5).
@Suite(.timeLimit(.minutes(1))) struct HatScopeTests {
    private func scoped(_ setup: StandInSetup, sections: String = "") -> StandInSetup {
        var setup = setup
        setup.eventLoop.append("enforce_hat_scope: true")
        setup.sections += sections
        return setup
    }

    @Test func `what a hat may drop is refused, and written nowhere`() async throws {
        try await withScene(scoped(gated(hold: "never"))) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let emit = { (topic: String, force: Bool) async throws(ControlError) in
                _ = try await scene.controller.emit(
                    topic: topic, payload: nil, force: force, by: "test", marker: "cmd_1")
            }

            for urgent in [false, true] {
                await #expect(throws: ControlError.outsideHatScope(topic: "human.guidance")) {
                    try await scene.controller.steer("x", urgent: urgent, by: "test", marker: "cmd_1")
                }
            }
            await #expect(throws: ControlError.outsideHatScope(topic: "human.response")) {
                try await scene.controller.answer(.row(text: "x"), by: "test", marker: "cmd_1")
            }
            await #expect(throws: ControlError.outsideHatScope(topic: "slice.planned")) {
                try await emit("slice.planned", false)
            }

            #expect(!scene.workspace.exists(".ralph/urgent-steer.json"))
            #expect(Set(scene.workspace.topics).isDisjoint(with: ["human.guidance", "human.response"]))
            #expect(!scene.workspace.topics.contains("slice.planned"))
            try await emit("slice.planned", true)
            try await emit("user.pause", false)
            #expect(Set(scene.workspace.topics).isSuperset(of: ["slice.planned", "user.pause"]))
        }
    }

    @Test func `a run that waits for a row is given its answer`() async throws {
        let robot = "RObot: {enabled: true, timeout_seconds: 60, telegram: {bot_token: x}}\n"
        try await withScene(scoped(gated(hold: "never"), sections: robot)) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")

            try await scene.controller.answer(.row(text: "yes"), by: "test", marker: "cmd_1")

            #expect(scene.workspace.topics.contains("human.response"))
        }
    }

    @Test func `a third equal answer in a row does not end the run`() async throws {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            for number in 1...3 {
                try await scene.controller.answer(.row(text: "yes"), by: "test", marker: "cmd_\(number)")
            }

            let answers = scene.workspace.rows.filter { $0["topic"] as? String == "human.response" }
            #expect(answers.map { $0["payload"] as? String } == ["yes", "yes", "yes (repeated 3)"])
        }
    }

    /// - Parameter isRoot: the worktree is a root itself, and the main workspace is in none.
    @Test(arguments: [false, true])
    func `a worktree's loop waits for no row until it is continued by its own lock`(isRoot: Bool) async throws
    {
        let robot = "RObot: {enabled: true, timeout_seconds: 60, telegram: {bot_token: x}}\n"
        var setup = scoped(rounds(20), sections: robot)
        setup.isRepository = true
        try await withScene(setup) { scene in
            let controller = try await scene.startLoopOfOthers(isRoot: isRoot)

            await #expect(throws: ControlError.outsideHatScope(topic: "human.response")) {
                try await controller.answer(.row(text: "yes"), by: "test", marker: "cmd_1")
            }

            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.halted, controller)
            _ = try await controller.resume(by: "test")
            try await controller.answer(.row(text: "yes"), by: "test", marker: "cmd_2")
            _ = try await controller.stop(force: true, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test func `a paused run that is continued reads what was said before any hat is at work`() async throws {
        try await withScene(scoped(rounds(20))) { scene in
            try await scene.haltRunOfOthers()

            try await scene.controller.steer("use sqlite", urgent: false, by: "test", marker: "cmd_1")
            _ = try await scene.controller.resume(by: "test")

            try await eventually(within: .seconds(10), "the guidance in a prompt") {
                scene.workspace.text("prompts.txt")?.contains("use sqlite") == true
            }
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [nil, "{}", "hats: ["])
    func `what a run began with is not known from what its file says later`(_ later: String?) async throws {
        try await withScene(scoped(rounds(20))) { scene in
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            let steer = { () async throws(ControlError) in
                try await scene.controller.steer("x", urgent: false, by: "test", marker: "cmd_1")
            }
            await #expect(throws: ControlError.outsideHatScope(topic: "human.guidance")) { try await steer() }

            let text = try later ?? #require(scene.workspace.text("ralph.yml"))
            try scene.workspace.directory.write("ralph.yml", text)

            #expect(try await !steer().isScopeCertain)
            let isEmitted = try await scene.controller.emit(
                topic: "a.b", payload: nil, force: false, by: "test", marker: "cmd_2")
            #expect(!isEmitted)
            _ = try await scene.controller.stop(force: true, by: "test")
            _ = try await run.waitForExit()
        }
    }
}
