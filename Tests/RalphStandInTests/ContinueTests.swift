import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ContinueTests {
    private let stopped = """
        log-prompt prompts
        iteration 1:
        emit slice.planned s
        touch .ralph/stop-requested
        iteration 2:
        complete
        """

    @Test func `a run without a scratchpad cannot be continued`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: stopped)) { workspace in
            try await workspace.run().waitForExit()

            let run = try workspace.run(["--continue", "--no-tui"])

            try await expectExit(.code(1), of: run)
            #expect(run.errors.contains("Cannot continue: scratchpad not found"))
        }
    }

    @Test func `a continued run keeps file and counters and replays what came after the end`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: stopped)) { workspace in
            try await workspace.run().waitForExit()
            let file = workspace.eventsFile
            let id = workspace.text(".ralph/current-loop-id")
            try workspace.put("agent/scratchpad.md")
            try workspace.append(topic: "note.after", payload: "REPLAYED")

            try await expectExit(.code(0), of: try workspace.run(["--continue", "--no-tui"]))

            #expect(workspace.eventsFile == file)
            #expect(workspace.text(".ralph/current-loop-id") == id)
            #expect(workspace.rows.last?["iteration"] as? Int == 2)
            let prompt = workspace.text("prompts")?.components(separatedBy: "You are Ralph.").last ?? ""
            #expect(prompt.contains("[note.after] REPLAYED"))
            #expect(!prompt.contains("[slice.planned]"))
            #expect(prompt.contains("[task.resume]"))
        }
    }

    @Test func `after a kill nothing is replayed`() async throws {
        let steps = "log-prompt prompts\niteration 1:\ntouch started\nwait-for go\ncomplete"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let run = try workspace.run(["--rpc"])
            try await workspace.waitForFile("started")
            run.signal(9)
            try await run.waitForExit()
            try workspace.put("agent/scratchpad.md")
            try workspace.append(topic: "human.guidance", payload: "LOST")
            try workspace.directory.write("go", "")

            try await expectExit(.code(0), of: try workspace.run(["--continue", "--rpc"]))

            let prompts = try #require(workspace.text("prompts"))
            #expect(!prompts.contains("LOST"))
        }
    }

    @Test func `a continued run beside a living one becomes a worktree loop`() async throws {
        var setup = StandInSetup(steps: "iteration 1:\ntouch started\nwait-for go\ncomplete")
        setup.isRepository = true
        try await withStandInWorkspace(setup) { workspace in
            let first = try workspace.run()
            try await workspace.waitForFile("started")
            try workspace.put("agent/scratchpad.md")

            let second = try workspace.run(["--continue", "--rpc"])

            try await eventually(within: .seconds(20), "worktree loop") {
                workspace.text(".ralph/loops.json")?.contains("worktree_path") == true
            }
            try workspace.put("stop-requested")
            try workspace.directory.write("go", "")
            try await first.waitForExit()
            #expect(second.isRunning)
            #expect(workspace.exists(".worktrees"))
        }
    }

    @Test func `a limit that is reached ends the continued run at once`() async throws {
        var setup = StandInSetup(steps: "emit a.b x\ntouch .ralph/agent/scratchpad.md")
        setup.eventLoop = ["max_iterations: 1"]
        try await withStandInWorkspace(setup) { workspace in
            try await expectExit(.code(2), of: try workspace.run())

            try await expectExit(.code(2), of: try workspace.run(["--continue", "--no-tui"]))

            #expect(workspace.topics.filter { $0 == "iteration.summary" }.count == 1)
            #expect(workspace.endReason == "max_iterations")
        }
    }
}
