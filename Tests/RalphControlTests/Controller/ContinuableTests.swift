import Foundation
import Logging
import RalphSessions
import RalphTestSupport
import Synchronization
import Testing

@testable import RalphControl

/// A pause that ends a run is refused where its continuation would be none, or another run (contract 4.5, 4.9).
@Suite(.timeLimit(.minutes(1))) struct ContinuableTests {
    /// Expects that the run is not paused, and ends it.
    ///
    /// - Parameter word: what the refusal speaks of.
    private func expectRefusal(
        _ scene: ControllerScene, _ word: String, _ controller: SessionController? = nil
    ) async throws {
        let controller = controller ?? scene.controller
        let error = await #expect(throws: ControlError.self) {
            try await controller.pause(now: false, by: "test")
        }
        #expect(error?.kind == "notContinuable" && "\(error as Any)".contains(word))
        #expect(scene.leftovers.isEmpty)
        #expect(await controller.record?.phase == .running)
        _ = try await controller.stop(force: true, by: "test")
    }

    @Test(arguments: [nil, "prompt: Do it.", "prompt_file: other.md"])
    func `a run is paused by its end where its prompt is found again`(line: String?) async throws {
        var setup = rounds(20)
        if let line { setup.eventLoop.append(line) }
        try await withScene(setup) { scene in
            try scene.workspace.directory.write("other.md", "Do it.\n")
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            try scene.workspace.directory.remove("PROMPT.md")

            if line != nil {
                _ = try await scene.controller.pause(now: false, by: "test")
            } else {
                let error = await #expect(throws: ControlError.self) {
                    try await scene.controller.pause(now: false, by: "test")
                }
                #expect(error?.kind == "notContinuable")
                #expect(scene.leftovers.isEmpty)
            }

            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [("ralph.yml", []), ("h.yml", ["-H", "h.yml"])])
    func `a run whose configuration or hats are gone is not paused by its end`(
        name: String, flags: [String]
    ) async throws {
        try await withScene(rounds(20)) { scene in
            try scene.workspace.directory.write(
                "h.yml",
                "hats: {h: {name: H, description: d, triggers: [work.start], publishes: [a.b], instructions: I.}}"
            )
            let run = try scene.workspace.run(["--no-tui"] + flags)
            try await scene.workspace.waitForTopic("iteration.summary")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: run.pid)
            record.commandLine = ["ralph", "run", "--no-tui"] + flags
            let controller = scene.reborn(record)
            await controller.observe()
            try scene.workspace.directory.remove(name)

            try await expectRefusal(scene, name, controller)
        }
    }

    @Test(arguments: ["../pad.md", "PROMPT.md/pad.md"])
    func `a scratchpad that cannot be made keeps a run from being paused by its end`(path: String)
        async throws
    {
        var setup = rounds(20)
        setup.sections = "core: {scratchpad: \(path)}"
        try await withScene(setup) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")

            try await expectRefusal(scene, "scratchpad")
            #expect(!scene.workspace.exists("../pad.md"))
        }
    }

    @Test func `a run that merges a loop is not paused by its end`() async throws {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.launch(
                StandIn.ralph, ["run", "--no-tui"], environment: ["RALPH_MERGE_LOOP_ID": "fair-rose"])
            try await scene.workspace.waitForTopic("iteration.summary")

            try await expectRefusal(scene, "fair-rose")
        }
    }

    @Test func `a run is not paused by its end while a merge waits for that`() async throws {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            let merge = try await scene.queueMerge()

            let error = await #expect(throws: ControlError.self) {
                try await scene.controller.pause(now: false, by: "test")
            }
            #expect(error == .notContinuable("a merge waits for its end"))
            #expect(scene.leftovers.isEmpty)
            #expect(await scene.controller.record?.phase == .running)

            merge.signal(SIGKILL)
            try await merge.waitForExit()
            _ = try await scene.controller.pause(now: false, by: "test")
            try await scene.reach(.halted)
        }
    }

    @Test(arguments: [1, 2])
    func `a run is not paused by its end while a merge is begun, or once one was meanwhile`(look: Int)
        async throws
    {
        try await withScene(rounds(20)) { scene in
            _ = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            let looks = Mutex(0)
            var reports = scene.log.reports
            let workspace = scene.workspace.path
            reports.isMerge = { place in
                looks.withLock { looks in
                    looks += 1
                    return looks == look && place == workspace
                }
            }
            let controller = SessionController(
                session: DiscoveredSession(directory: scene.directory), record: nil,
                settings: scene.settings, reports: reports, logger: Logger(label: "test"))

            let error = await #expect(throws: ControlError.self) {
                try await controller.pause(now: false, by: "test")
            }
            #expect(error == .notContinuable("a merge waits for its end"))
            #expect(scene.leftovers.isEmpty)
            #expect(await controller.record?.phase == .running)
            #expect(scene.log.last?.phase == .running)

            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.halted, controller)
        }
    }

    @Test func `no agent is ended at once for a pause while a merge waits for the end of its run`()
        async throws
    {
        try await withScene(gated(hold: "never")) { scene in
            try await scene.controller.start(scene.plan, by: "test")
            try await scene.workspace.waitForFile("began")
            let merge = try await scene.queueMerge()

            await #expect(throws: ControlError.notContinuable("a merge waits for its end")) {
                try await scene.controller.pause(now: true, by: "test")
            }
            #expect(scene.leftovers.isEmpty && !scene.workspace.agents().isEmpty)
            #expect(await scene.controller.record?.phase == .running)

            // It waits in its process, and the merge for as long.
            #expect(try await scene.controller.pause(now: false, by: "test").isPending)
            await #expect(throws: ControlError.notContinuable("a merge waits for its end")) {
                try await scene.controller.pause(now: true, by: "test")
            }
            #expect(!scene.workspace.agents().isEmpty)
            #expect(scene.log.records.allSatisfy { !$0.needsLockAgain })

            merge.signal(SIGKILL)
            try await merge.waitForExit()
            _ = try await scene.controller.pause(now: true, by: "test")
            try await scene.reach(.suspended)
            // A merge that comes then waits for one that may end so.
            #expect(scene.log.records.contains { $0.phase == .pausing && $0.needsLockAgain })
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [[], ["ralph.yml", "PROMPT.md"]])
    func `a parallel loop goes on with what its worktree has, and else with the main workspace's`(
        ignored: [String]
    ) async throws {
        var setup = rounds(20)
        setup.isRepository = true
        setup.ignored = ignored
        try await withScene(setup) { scene in
            let controller = try await scene.startLoopOfOthers(isRoot: false)

            _ = try await controller.pause(now: false, by: "test")
            try await scene.reach(.halted, controller)
            _ = try await controller.resume(by: "test")

            let record = try #require(await controller.record)
            #expect(record.plan?.config == (ignored.isEmpty ? nil : scene.workspace.configuration))
            let prompt = LaunchPlan.Prompt.file(scene.workspace.path + "/PROMPT.md")
            #expect(record.plan?.prompt == (ignored.isEmpty ? .configured : prompt))
            let made = try String(
                contentsOfFile: #require(record.madeConfiguration), encoding: .utf8)
            #expect(made.contains("100000"))
            _ = try await controller.stop(force: true, by: "test")
            _ = try await scene.controller.stop(force: true, by: "test")
        }
    }
}
