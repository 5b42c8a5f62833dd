import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConfigurationTests {
    @Test func `the user's configuration lies below that of the project, and hats take the place of its own`()
        async throws
    {
        let steps = "log-prompt prompts\niteration 1:\nemit slice.planned s\niteration 2:\nemit DONE"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try workspace.outside.write(
                ".ralph/config.yml", "event_loop: {completion_promise: WRONG, max_iterations: 5}\n")
            try workspace.directory.write(
                "hats.yml",
                """
                event_loop: {completion_promise: DONE, max_iterations: 1}
                hats:
                  builder: {name: Mason, triggers: [slice.planned], instructions: Lay bricks.}
                """)

            let run = try workspace.run(["--no-tui", "-H", "hats.yml"])

            try await expectExit(.code(0), of: run)
            #expect(run.output.contains("1/5"))
            #expect(workspace.text("prompts")?.contains("### Mason Instructions\n\nLay bricks.") == true)
        }
    }

    @Test func `required events stand before completion`() async throws {
        var setup = StandInSetup(
            steps: "iteration 1:\ncomplete\niteration 2:\nemit tests.passed\niteration 3:\ncomplete")
        setup.eventLoop = ["required_events: [tests.passed]"]
        try await withStandInWorkspace(setup) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.plainTopics.filter { $0 == "LOOP_COMPLETE" }.count == 2)
        }
    }

    @Test func `a topic that cancels ends the run with status 0`() async throws {
        var setup = StandInSetup(steps: "emit loop.cancel enough")
        setup.eventLoop = ["cancellation_promise: loop.cancel"]
        try await withStandInWorkspace(setup) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.endReason == "cancelled")
        }
    }

    @Test func `an enforced scope drops what a hat may not publish, guidance included`() async throws {
        var setup = StandInSetup(
            steps: "log-prompt prompts\niteration 1:\nemit human.guidance x\nemit slice.planned s\n"
                + "iteration 2:\ntouch .ralph/stop-requested")
        setup.eventLoop = ["enforce_hat_scope: true"]
        try await withStandInWorkspace(setup) { workspace in
            try await workspace.run().waitForExit()

            let prompts = try #require(workspace.text("prompts"))
            #expect(!prompts.contains("## ROBOT GUIDANCE"))
            #expect(prompts.contains("[planner.scope_violation]"))
        }
    }

    @Test func `five failures in a row end the run`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "emit a.b\nemit c.d\nfail 3")) { workspace in
            try await expectExit(.code(1), of: try workspace.run())

            #expect(workspace.endReason == "consecutive_failures")
            #expect(workspace.topics.filter { $0 == "iteration.summary" }.count == 5)
        }
    }

    @Test func `open tasks stand before completion`() async throws {
        let steps = """
            iteration 1:
            complete
            iteration 2:
            touch .ralph/stop-requested
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try workspace.put(
                "agent/tasks.jsonl",
                #"{"id":"task-1-0000","title":"t","status":"open","blocked_by":[]}"# + "\n")

            try await expectExit(.code(1), of: try workspace.run())
        }
    }

    @Test func `a hook that blocks ends the run without a last row`() async throws {
        var setup = StandInSetup(steps: fourTurns)
        setup.sections = """
            hooks:
              enabled: true
              events: {pre.iteration.start: [{name: guard, command: ["false"], on_error: block}]}
            """
        try await withStandInWorkspace(setup) { workspace in
            try await expectExit(.code(1), of: try workspace.run())

            #expect(workspace.topics == ["work.start"])
        }
    }

    @Test func `a reader of its output that goes away ends a headless run without a last row`() async throws {
        let steps = "iteration 1:\nwait-for go\nsay something\nwait 100\nsay more\nemit slice.planned s"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let reader = "{ read line; exec 0</dev/null; touch reader-gone; }"
            let shell = try workspace.launch("sh", ["-c", "\(StandIn.ralph) run --no-tui | \(reader)"])
            try await workspace.waitForFile("reader-gone")

            try workspace.directory.write("go", "")

            try await shell.waitForExit()
            try await eventually(within: .seconds(10), "the run's end") {
                !workspace.liveProcesses().contains { $0.arguments.contains("run") }
            }
            #expect(workspace.endReason == nil)
        }
    }

    @Test(arguments: [
        "", "cli: {backend: claude}",
        "cli: {backend: custom, command: claude, args: [-p], prompt_mode: stdin}",
    ])
    func `in a demonstration the play takes the place of every agent`(_ agent: String) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let program = try workspace.outside.write("bin/claude", "#!/bin/sh\n: >was-asked\n")
            #expect(chmod(program, 0o755) == 0)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            try workspace.directory.write("ralph.yml", agent + "\n")
            let lock = try workspace.outside.write("server.lock", "")
            let descriptor = open(lock, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)

            let run = try workspace.launch(
                StandIn.path, ["run", "--no-tui", "--max-iterations", "1", "--", "--model", "x"],
                environment: [
                    "RALPH_STAND_IN_DEMO": lock, "PATH": workspace.outside.path + "/bin:" + path,
                ])

            try await expectExit(.code(2), of: run)
            #expect(workspace.plainTopics == ["task.start", "slice.planned", "loop.terminate"])
            #expect(!workspace.exists("was-asked"))
        }
    }

    @Test func `the demonstration goes round its hats`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let text = try #require(workspace.text("ralph.yml"))
            let steps = workspace.outside.path + "/steps.txt"
            try workspace.directory.write(
                "ralph.yml", text.replacing("--steps, \(steps)", with: "--demo"))

            let run = try workspace.run(["--rpc", "--max-iterations", "2"])

            try await expectExit(.code(2), of: run)
            #expect(
                workspace.plainTopics == ["work.start", "slice.planned", "slice.built", "loop.terminate"])
            #expect(run.output.contains(#""type":"tool_call_start""#))
        }
    }
}
