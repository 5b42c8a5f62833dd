import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Runs that were started elsewhere, with configurations of their own, are continued as they were (contract 4.7, 4.9).
@Suite(.timeLimit(.minutes(1))) struct ForeignConfigurationTests {
    /// Starts a run, pauses it by its end and lets it go on until `isBack`.
    private func haltAndResume(
        _ scene: ControllerScene, _ run: StandInProcess, until isBack: @escaping () -> Bool
    ) async throws {
        try await scene.workspace.waitForTopic("iteration.summary")
        _ = try await scene.controller.pause(now: false, by: "test")
        try await scene.reach(.halted)
        _ = try await run.waitForExit()

        _ = try await scene.controller.resume(by: "test")

        try await eventually(within: .seconds(10), "it goes on as it was", isBack)
        _ = try await scene.controller.stop(force: true, by: "test")
    }

    @Test func `the scratchpad of the command line is the one that is made for a continuation`() async throws
    {
        try await withScene(rounds(20)) { scene in
            let pad = "notes/pad.md"
            let run = try scene.workspace.run([
                "--no-tui", "-c", "ralph.yml", "-c", "core.scratchpad=\(pad)",
            ])
            try await haltAndResume(scene, run) { scene.workspace.exists(pad) }
        }
    }

    @Test func `the configuration of the environment is the one that a run is continued with`() async throws {
        try await withScene(rounds(20)) { scene in
            let text = try #require(scene.workspace.text("ralph.yml"))
            try scene.workspace.directory.write(
                "other.yml", text.replacing("max_iterations: 100000", with: "max_iterations: 90000"))
            let run = try scene.workspace.launch(
                StandIn.ralph, ["run", "--no-tui"], environment: ["RALPH_CONFIG": "other.yml"])

            try await haltAndResume(scene, run) { scene.iterations > 1 }

            let made = try #require(scene.log.last?.madeConfiguration)
            #expect(try String(contentsOfFile: made, encoding: .utf8).contains("90000"))
        }
    }

    @Test func `a record that was stored without the configuration of the environment is completed`()
        async throws
    {
        try await withScene(rounds(20)) { scene in
            let run = try scene.workspace.launch(
                StandIn.ralph, ["run", "--no-tui"], environment: ["RALPH_CONFIG": "ralph.yml"])
            try await scene.workspace.waitForTopic("iteration.summary")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: run.pid)
            record.commandLine = ["ralph", "run", "--no-tui"]
            let controller = scene.reborn(record)

            await controller.observe()

            #expect(scene.log.last?.standardConfig == "ralph.yml")
            _ = try await controller.stop(force: true, by: "test")
        }
    }

    @Test(arguments: [
        ["-c", "https://example.com/r.yml"], ["-c", "broken.yml"], ["-P", "gone.md"],
    ])
    func `a run that no resume could continue is not paused`(_ flags: [String]) async throws {
        try await withScene(rounds(20)) { scene in
            try scene.workspace.directory.write("broken.yml", "hats: [")
            let run = try scene.workspace.run(["--no-tui"])
            try await scene.workspace.waitForTopic("iteration.summary")
            var record = RunRecord(session: scene.directory.id, directory: scene.directory.path)
            record.process = ProcessIdentity(pid: run.pid)
            record.commandLine = ["ralph", "run"] + flags
            let controller = scene.reborn(record)

            let error = await #expect(throws: ControlError.self) {
                try await controller.pause(now: false, by: "test")
            }

            #expect(error?.kind == "notContinuable")
            #expect(scene.leftovers.isEmpty)
            #expect(await controller.record?.phase == .running)
            _ = try await controller.stop(force: true, by: "test")
        }
    }

    @Test func `a file that is missing means defaults for a run from elsewhere, and is missed for ours`()
        throws
    {
        let settings = ControlSettings(ralph: nil, runs: "/nowhere", environment: [:])
        var plan = LaunchPlan(workspace: "/nowhere", config: "/nowhere/r.yml")
        #expect(throws: ControlError.self) { try RunConfiguration(plan, settings).generate() }

        plan.isForeign = true
        #expect(try RunConfiguration(plan, settings).generate().contains(GeneratedConfig.gateName))
    }
}
