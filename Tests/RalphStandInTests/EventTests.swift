import Foundation
import RalphTestSupport
import Testing

@testable import RalphStandIn

@Suite(.timeLimit(.minutes(1))) struct EventTests {
    @Test func `emit writes a row and its end separately`() {
        let pieces = EventsFile.simplePieces(topic: "a.b", payload: .string("x"), ts: "t")

        #expect(pieces == [#"{"payload":"x","topic":"a.b","ts":"t"}"#, "\n"])
    }

    @Test(arguments: [
        // Three times the same event; with another one in between; an exempt topic.
        ("emit a.b x\nemit a.b x\nemit a.b x", "loop_stale"),
        ("emit a.b x\nemit a.b x\nemit c.d x\nemit a.b x\ncomplete", "completed"),
        ("emit task.complete x\nemit task.complete x\nemit task.complete x\ncomplete", "completed"),
        ("emit a.b x\nemit task.complete x\nemit a.b x\nemit a.b x\ncomplete", "completed"),
        // What a wave brings ends a row of equals.
        (
            #"emit a.b x\#nemit a.b x\#nrow {"topic":"c.d","ts":"t","wave_id":"w"}\#nemit a.b x\#ncomplete"#,
            "completed"
        ),
        // Three bad lines, behind which Ralph's own summary is valid: the run goes on.
        ("row one\nrow two\nrow three\niteration 2:\ncomplete", "completed"),
        ("row one\nrow two\nrow three\ncomplete", "completed"),
    ])
    func `written events change how a run ends`(steps: String, reason: String) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "iteration 1:\n" + steps)) { workspace in
            try await workspace.run().waitForExit()

            #expect(workspace.endReason == reason)
        }
    }

    @Test func `an event after the completion event cancels it`() async throws {
        let steps = "iteration 1:\ncomplete\nemit status.ping late\niteration 2:\ncomplete"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.topics.filter { $0 == "iteration.summary" }.count == 2)
        }
    }

    @Test func `guidance reaches the next prompt and blocks completion until it is acknowledged`()
        async throws
    {
        let steps = """
            log-prompt prompts
            iteration 1:
            emit human.guidance use tabs
            iteration 2:
            complete
            iteration 3:
            emit human.guidance.ack ok
            iteration 4:
            complete
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.topics.filter { $0 == "LOOP_COMPLETE" }.count == 2)
            let prompts = workspace.text("prompts")?.components(separatedBy: "You are Ralph.") ?? []
            #expect(
                prompts.map { $0.contains("## ROBOT GUIDANCE\n\n1. use tabs") } == [
                    false, false, true, true, true,
                ])
            #expect(workspace.text(".ralph/agent/scratchpad.md")?.contains("### HUMAN GUIDANCE (") == true)
        }
    }

    @Test func `a run that cannot go on falls back three times`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "say nothing to do")) { workspace in
            try await expectExit(.code(1), of: try workspace.run())

            #expect(workspace.endReason == "stopped")
            #expect(workspace.topics.filter { $0 == "iteration.summary" }.count == 4)
        }
    }

    @Test func `an agent that speaks of an emit and makes none is waited for`() async throws {
        let steps = "iteration 1:\nsay I shall call ralph emit\niteration 2:\ncomplete"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            let end = workspace.rows.last?["payload"] as? String ?? ""
            let seconds = end.firstMatch(of: /Duration: (\d+)s/).flatMap { Int($0.1) }
            #expect(seconds ?? 0 >= 5)
        }
    }

    @Test func `a hat whose silence would complete the run is called once more`() async throws {
        let steps = """
            log-prompt prompts
            iteration 1:
            emit slice.built x
            iteration 2:
            say nothing
            iteration 3:
            complete
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let words = "publishes: [slice.accepted, slice.rejected]"
            let config = try #require(workspace.text("ralph.yml"))
            try config.replacing(words, with: words + ", default_publishes: LOOP_COMPLETE")
                .write(toFile: workspace.configuration, atomically: true, encoding: .utf8)
            try await expectExit(.code(0), of: try workspace.run())

            #expect(workspace.topics.filter { $0 == "iteration.summary" }.count == 3)
            let prompts = workspace.text("prompts")?.components(separatedBy: "You are Ralph.") ?? []
            #expect(prompts.map { $0.contains("ACTIVE HAT: reviewer") } == [false, false, true, true])
        }
    }

    /// The topics and sources of the bus, as a `--rpc` run tells them.
    private func bus(_ run: StandInProcess) throws -> [String] {
        try run.output.split(separator: "\n").filter { $0.contains("orchestration_event") }.map { line in
            let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let source = (event?["source"] as? String).map { " of \($0)" } ?? ""
            return (event?["topic"] as? String ?? "") + source
        }
    }

    @Test func `a stream has what only the bus knows`() async throws {
        let steps = """
            iteration 1:
            emit slice.planned s
            row damaged
            iteration 2:
            say nothing
            iteration 3:
            emit human.guidance use tabs
            complete
            iteration 4:
            say nothing
            iteration 5:
            emit human.guidance.ack ok
            complete
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let words = "publishes: [slice.built]"
            let config = try #require(workspace.text("ralph.yml"))
            try config.replacing(words, with: words + ", default_publishes: slice.built")
                .write(toFile: workspace.configuration, atomically: true, encoding: .utf8)
            let run = try workspace.run(["--rpc"])
            try await expectExit(.code(0), of: run)

            #expect(
                try bus(run) == [
                    "event.malformed", "slice.planned", "slice.built of builder", "human.guidance",
                    "task.resume", "task.resume", "human.guidance.ack", "loop.terminate",
                ])
        }
    }

    @Test func `a stream has what is read between iterations and in a wait`() async throws {
        let steps = """
            iteration 1:
            touch started
            wait-for go
            iteration 2:
            emit human.guidance.ack ok
            ask Which?
            iteration 3:
            complete
            """
        var setup = StandInSetup(steps: steps)
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 1}"
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run(["--rpc"], hasInput: true)
            try await workspace.waitForFile("started")
            run.send(#"{"type":"guidance","message":"use tabs"}"#)
            try await eventually(within: .seconds(10), "guidance_ack") { run.output.contains("guidance_ack") }
            run.closeInput()
            try workspace.directory.write("go", "")
            try await expectExit(.code(0), of: run)

            #expect(
                try bus(run) == [
                    "human.guidance", "human.guidance.ack", "human.interact", "human.timeout",
                    "loop.terminate",
                ])
        }
    }

    @Test func `tags in the agent's text become rich rows`() async throws {
        let steps = """
            iteration 1:
            say <event topic="slice.planned">one</event> <event topic="who.knows">two</event>
            iteration 2:
            complete
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await workspace.run().waitForExit()

            #expect(
                workspace.plainTopics == [
                    "work.start", "slice.planned", "who.knows", "event.orphaned", "LOOP_COMPLETE",
                    "loop.terminate",
                ])
            let row = try #require(workspace.rows.dropFirst().first)
            #expect(row["hat"] as? String == "ralph")
            #expect(row["triggered"] as? String == "builder")
        }
    }

    @Test func `a reader consumes an unfinished line and one byte more`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("events", "")
            var reader = EventReader(path: file)
            try directory.append("events", #"{"topic":"a","ts":"t"}"# + "\n\n" + #"{"topic":"b""#)
            #expect(reader.read().events.map(\.topic) == ["a"])

            try directory.append("events", #","ts":"t"}"# + "\n" + #"{"topic":"c","ts":"t"}"# + "\n")
            let batch = reader.read()

            #expect(batch.malformed == [#""ts":"t"}"#])
            #expect(batch.events.map(\.topic) == ["c"])
        }
    }

    @Test(arguments: [
        ("a.b", "a.b", true), ("a.*", "a.b", true), ("a.*", "a.b.c", false), ("*", "a.b.c", true),
        ("*.b", "a.b", true), ("a", "a.b", false),
    ])
    func `a wildcard stands for one segment`(pattern: String, topic: String, matches: Bool) {
        #expect(TopicPattern(pattern).matches(topic) == matches)
    }
}
