import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// A run that an agent has started in another workspace, or as a loop in a worktree, is another session's: it outlives what
/// is done to the agent's.
@Suite(.timeLimit(.minutes(2))) struct ElsewhereTests {
    /// Has agents of `scene` do first what `begin` says, in shell, given a program that is called `ralph`.
    private func setAgent(_ scene: ControllerScene, _ begin: (String) -> String) throws {
        let ralph = scene.workspace.outside.path + "/ralph"
        try #require(symlink(StandIn.ralph, ralph) == 0)
        let agent = try scene.workspace.outside.write(
            "agent",
            """
            #!/bin/sh
            \(begin(ralph))
            exec '\(StandIn.path)' "$@"

            """)
        chmod(agent, 0o755)
        let text = try #require(scene.workspace.text("ralph.yml"))
        try scene.workspace.directory.write(
            "ralph.yml",
            text.replacingOccurrences(of: "command: \(StandIn.path)", with: "command: \(agent)"))
    }

    /// Runs `body` with a scene whose agent has started a run in another workspace; both are in their first iteration.
    private func withRunElsewhere(_ body: (ControllerScene, StandInWorkspace) async throws -> Void)
        async throws
    {
        try await withStandInWorkspace(gated(hold: "go")) { other in
            try await withScene(gated(hold: "never")) { scene in
                try setAgent(scene) { ralph in
                    "(cd '\(other.path)' && exec '\(ralph)' run --no-tui) < /dev/null > /dev/null 2>&1 &"
                }
                try await scene.controller.start(scene.plan, by: "test")
                try await other.waitForFile("began")
                try await scene.workspace.waitForFile("began")

                try await body(scene, other)
            }
        }
    }

    /// It goes on when it may, which a run that was signalled does not.
    private func expectAtWork(_ other: StandInWorkspace) async throws {
        try other.directory.write("go", "")
        try await other.waitForTopic("iteration.summary", count: 3)
    }

    @Test(arguments: [false, true])
    func `a stop ends the agent and not the run that it started elsewhere`(force: Bool) async throws {
        try await withRunElsewhere { scene, other in
            let stop = try await scene.controller.stop(force: force, by: "test")

            #expect(stop.forced)
            #expect(scene.workspace.liveProcesses().isEmpty)
            #expect(scene.log.last?.phase == .ended)
            try await expectAtWork(other)
        }
    }

    @Test func `a pause now ends the agent and not the run that it started elsewhere`() async throws {
        try await withRunElsewhere { scene, other in
            _ = try await scene.controller.pause(now: true, by: "test")

            try await scene.reach(.suspended)
            #expect(scene.workspace.agents().isEmpty)
            try await expectAtWork(other)
        }
    }

    @Test func `a run elsewhere that was noted as an agent is none behind the next stop`() async throws {
        try await withRunElsewhere { scene, other in
            let process = try #require(await scene.controller.record?.process)
            let noted = ProcessTree().agentGroups(of: process)
            _ = try await scene.controller.stop(force: true, by: "test")
            var record = try #require(await scene.controller.record)
            record.agents = noted
            #expect(noted.contains(where: { $0.isAlive }))

            let next = scene.reborn(record)
            #expect(try await next.stop(force: true, by: "test").already)

            #expect(await next.record?.agents == [])
            try await expectAtWork(other)
        }
    }

    @Test(arguments: [false, true])
    func `a stop ends the agent and not the loop that it started in a worktree`(force: Bool) async throws {
        var setup = gated(hold: "go")
        setup.isRepository = true
        try await withScene(setup) { scene in
            // The loop's agent is the same, and starts no other one.
            let mark = scene.workspace.outside.path + "/started"
            try setAgent(scene) { ralph in
                "mkdir '\(mark)' 2> /dev/null && '\(ralph)' run --rpc < /dev/null > /dev/null 2>&1 &"
            }
            try await scene.controller.start(scene.plan, by: "test")
            let worktrees = scene.workspace.path + "/.worktrees"
            var loop = ""
            try await eventually(within: .seconds(20), "the loop") {
                let name = try FileManager.default.contentsOfDirectory(atPath: worktrees).first ?? ""
                loop = ".worktrees/" + name
                // It is written behind the start row.
                return scene.workspace.exists(loop + "/.ralph/history.jsonl")
            }
            try await scene.workspace.waitForFile("began")

            let stop = try await scene.controller.stop(force: force, by: "test")

            #expect(stop.forced)
            #expect(scene.log.last?.phase == .ended)
            try scene.workspace.directory.write(loop + "/go", "")
            try await eventually(within: .seconds(20), "iterations of the loop") {
                let file = scene.workspace.text(loop + "/.ralph/current-events") ?? ""
                let rows = scene.workspace.text(loop + "/" + file) ?? ""
                return rows.components(separatedBy: "iteration.summary").count > 3
            }
        }
    }
}
