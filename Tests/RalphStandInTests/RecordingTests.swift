import Foundation
import RalphTestSupport
import Testing

/// Plays what the recordings of the real ralph 2.10.1 played, and compares the trees.
@Suite(.timeLimit(.minutes(1))) struct RecordingTests {
    private func recorded(_ name: String, _ tree: String = ".ralph") -> TreeShape {
        TreeShape(root: Samples.directory + "/\(name)/\(tree)")
    }

    private func fixture(_ name: String, _ tree: String = ".ralph") -> TreeShape {
        TreeShape(root: Samples.packageRoot + "/Tests/Fixtures/recordings/\(name)/\(tree)")
    }

    private func played(_ workspace: StandInWorkspace) -> TreeShape {
        TreeShape(root: workspace.path + "/.ralph")
    }

    /// The trees agree in everything that every run has.
    private func expectSame(
        _ played: TreeShape, _ recorded: TreeShape, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(played.files == recorded.files, sourceLocation: sourceLocation)
        #expect(played.rows.map(\.topic) == recorded.rows.map(\.topic), sourceLocation: sourceLocation)
        for (own, real) in zip(played.rows, recorded.rows) where !real.members.isEmpty && !own.members.isEmpty
        {
            #expect(own == real, sourceLocation: sourceLocation)
        }
        #expect(played.history == recorded.history, sourceLocation: sourceLocation)
        for name in ["loop.lock", "loops.json", "api/loop-state.json", "suspend-state.json"] {
            #expect(played.object(name) == recorded.object(name), "\(name)", sourceLocation: sourceLocation)
        }
        for name in ["current-events", "current-loop-id", "loop.lock", "api/loop-state.json"] {
            #expect(played.masked(name) == recorded.masked(name), "\(name)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a: a complete run of ten iterations`() async throws {
        let steps = """
            iteration 1:
            touch .ralph/agent/scratchpad.md
            emit slice.planned Slice 1
            iteration 2:
            emit slice.built count()
            iteration 3:
            emit slice.rejected A test is missing
            iteration 4:
            emit-json slice.built {"slice":1,"tests":{"passed":1,"failed":0}}
            iteration 5:
            emit slice.accepted Slice 1 accepted
            iteration 6:
            emit slice.planned Slice 2
            iteration 7:
            say nothing
            iteration 8:
            emit slice.built naïve but tested ✓ "quoted"
            iteration 9:
            emit slice.accepted Slice 2 accepted
            iteration 10:
            complete
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await expectExit(.code(0), of: try workspace.run())

            expectSame(played(workspace), recorded("a-normal-multi-hat"))
        }
    }

    private static let steered = """
        iteration 1:
        emit slice.planned Slice 1
        iteration 2:
        touch in-two
        wait-for go-two
        emit slice.built b
        iteration 3:
        touch in-three
        wait-for go-three
        emit slice.accepted ok
        iteration 4:
        complete
        iteration 5:
        emit human.guidance.ack ok
        iteration 6:
        complete
        emit status.ping late
        iteration 7:
        complete
        """

    @Test func `c: guidance, a steer and foreign topics`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: Self.steered)) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("in-two")
            for topic in ["human.guidance", "note.from.outside", "extra.fields"] {
                try workspace.append(topic: topic, payload: "x")
            }
            try workspace.directory.write("go-two", "")
            try await workspace.waitForFile("in-three")
            try workspace.put("urgent-steer.json", #"{"messages":["use sqlite"],"created_at":"t"}"#)
            try workspace.directory.write("go-three", "")
            try await expectExit(.code(0), of: run)

            #expect(
                run.output.contains("Urgent steer is pending")
                    || run.errors.contains("Urgent steer is pending"))
            expectSame(played(workspace), recorded("c-guidance-and-steer"))
            #expect(
                played(workspace).masked("agent/scratchpad.md")?.prefix(30)
                    == recorded("c-guidance-and-steer").masked("agent/scratchpad.md")?.prefix(30))
        }
    }

    @Test func `d: questions over the web robot`() async throws {
        let steps = """
            iteration 1:
            emit slice.planned Slice 1
            iteration 2:
            ask Which output format: JSON or plain text?
            iteration 3:
            emit slice.built b
            iteration 4:
            emit-json human.interact {"question":"Deploy now?","options":["yes","no"]}
            iteration 5:
            emit slice.accepted ok
            iteration 6:
            ask Anyone there?
            iteration 7:
            complete
            """
        var setup = StandInSetup(steps: steps)
        setup.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 2, checkin_interval_seconds: 1}"
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/api/robot-question.json")
            let waiting = recorded("d-human-interact-web", "while-waiting/.ralph")
            expectSame(played(workspace), waiting)
            #expect(
                played(workspace).object("api/robot-question.json")
                    == waiting.object("api/robot-question.json"))
            try workspace.answerQuestion("JSON, please")
            try await workspace.waitForTopic("human.interact", count: 2)
            try await workspace.waitForFile(".ralph/api/robot-question.json")
            try workspace.append(topic: "human.response", payload: "yes, deploy")
            try await expectExit(.code(0), of: run)

            let end = recorded("d-human-interact-web")
            expectSame(played(workspace), end)
            #expect(
                played(workspace).object("api/robot-checkin.json") == end.object("api/robot-checkin.json"))
        }
    }

    @Test func `h: suspended by a hook and resumed`() async throws {
        let steps = """
            iteration 1:
            touch .ralph/agent/scratchpad.md
            emit slice.planned s
            iteration 2:
            touch .ralph/pause-requested
            emit slice.built b
            iteration 3:
            emit slice.accepted ok
            iteration 4:
            complete
            """
        var setup = StandInSetup(steps: steps)
        setup.hasGate = true
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/suspend-state.json")
            try workspace.directory.remove(".ralph/pause-requested")
            let suspended = recorded("h-hook-suspend-resume", "while-suspended/.ralph")
            expectSame(played(workspace), suspended)
            #expect(played(workspace).masked("suspend-state.json") == suspended.masked("suspend-state.json"))
            try workspace.put("resume-requested")
            try await expectExit(.code(0), of: run)

            expectSame(played(workspace), recorded("h-hook-suspend-resume"))
        }
    }

    @Test func `i: stopped by the file`() async throws {
        let steps = """
            iteration 1:
            emit slice.planned s
            iteration 2:
            touch .ralph/stop-requested
            emit slice.built b
            """
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            try await expectExit(.code(1), of: try workspace.run())

            expectSame(played(workspace), fixture("i-stop-requested"))
            #expect(
                played(workspace).rows.last?.members == fixture("i-stop-requested").rows.last?.members)
        }
    }

    @Test func `l: paused at once, guided and continued to its limit`() async throws {
        let steps = """
            iteration 1:
            touch .ralph/agent/scratchpad.md
            emit slice.planned s
            iteration 2:
            emit slice.built b
            touch in-two
            wait-for never
            iteration 3:
            emit slice.planned s
            otherwise:
            complete
            """
        var setup = StandInSetup(steps: steps)
        setup.eventLoop = ["max_iterations: 14"]
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("in-two")
            try workspace.put("stop-requested")
            let agent = try #require(workspace.agents().first)
            kill(-agent.group, SIGTERM)
            try await expectExit(.code(1), of: run)
            expectSame(played(workspace), fixture("l-pause-now", "paused/.ralph"))
            try workspace.append(topic: "human.guidance", payload: "GUIDANCE-WHILE-PAUSED")
            try await expectExit(.code(2), of: try workspace.run(["--continue", "--no-tui"]))

            expectSame(played(workspace), fixture("l-pause-now", "after-continue/.ralph"))
        }
    }
}
