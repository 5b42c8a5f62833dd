import Foundation
import RalphWire
import Testing

@testable import RalphSessions

@Suite struct AgentNarrationTests {
    static let toolRun = """
        Ralph 2.10.1 starts
        {"type":"loop_started","prompt":"p","max_iterations":9,"backend":"claude","started_at":1795231595806}
        {"type":"iteration_start","iteration":1,"hat":"Builder","started_at":1795231595807}
        {"type":"text_delta","iteration":1,"delta":"Let me \\u001b[1mlook\\u001b[0m\\r"}
        {"type":"response","command":"get_state","success":true}
        {"type":"text_delta","iteration":1,"delta":"\\n✓"}
        {"type":"tool_call_start","iteration":1,"tool_name":"Read","tool_call_id":"t1","input":{"file_path":"a"}}
        {"type":"text_delta","iteration":1,"delta":"more"}
        {"type":"tool_call_end","iteration":1,"tool_call_id":"t1","output":"text","is_error":false,"duration_ms":5}
        {"type":"tool_call_end","iteration":1,"tool_call_id":"t9","output":{"a": 1},"is_error":true,"duration_ms":5}
        {"type":"error","iteration":1,"code":"E","message":"oh","recoverable":true}
        {"type":"wave_started","iteration":1,"wave_id":"w-1","expected":3}
        {"type":"orchestration_event","topic":"human.timeout","payload":"late"}
        {"type":"orchestration_event","topic":"slice.planned","payload":"s"}
        {"type":"something_new","iteration":1,"x":[1]}
        {"type":"iteration_end","iteration":1,"duration_ms":117,"cost_usd":0.25,"input_tokens":7,"output_tokens":3}
        {"type":"iteration_end","iteration":1,"duration_ms":118,"cost_usd":0.25,"input_tokens":7,"output_tokens":3}
        {"type":"loop_terminated","reason":"completed","total_iterations":1,"terminated_at":1795231606053}
        """

    /// Texts as a terminal got them, one for each read.
    static let cutText = [
        #"line one\r"#, #"\nline two \u001b[38;5"#, #";9mred\u001b[0m\r\nx \u001b]8;;http://secret"#,
        #"/y\u001b"#, #"\\link\r\n\u001b"#, #"(Ba b\u0007\u001b[1"#, #"m"#, #"c"#,
    ].map { #"{"type":"text_delta","iteration":1,"delta":"\#($0)"}"# + "\n" }

    @Test func `each kind of line has its event`() throws {
        var reading = Reading()
        reading.agent(Self.toolRun)

        #expect(
            reading.topics(.agent) == [
                "loop.started", "iteration.started", "agent.text", "tool.invoked", "agent.text",
                "tool.completed",
                "tool.failed", "agent.error", "wave.started", "human.timeout", "something_new",
                "iteration.completed", "loop.terminated",
            ])
        #expect(
            reading.topics(.server) == [
                "session.started", "hat.changed", "assistant", "result", "session.completed",
            ])
        #expect(reading.narrator.state.droppedAgentLines == 4)
    }

    @Test func `tools, text and figures are as the client wants them`() throws {
        var reading = Reading()
        reading.agent(Self.toolRun)

        let call = try reading.last("tool.invoked")
        let result = try reading.last("tool.completed")
        let failure = try reading.last("tool.failed")
        #expect(call["tool"] as? String == "Read" && call["status"] as? String == "running")
        #expect((call["input"] as? [String: String]) == ["file_path": "a"])
        #expect(result["tool"] as? String == "Read" && result["duration"] as? Int == 5)
        #expect(failure["output"] as? String == #"{"a":1}"# && failure["status"] as? String == "error")
        #expect(
            try reading.events().first { $0["topic"] as? String == "agent.text" }?["payload"] as? String
                == "Let me look\n✓")
        #expect(
            try reading.last("assistant")["payload"] as? String
                == #"{"usage":{"input_tokens":7,"output_tokens":3}}"#)
        #expect(
            try reading.last("result")["payload"] as? String
                == #"{"total_cost_usd":0.25,"duration_ms":10247}"#)
        #expect(reading.narrator.state.maxIterations == 9)
        #expect(reading.narrator.state.hat == "builder")
    }

    @Test func `the same iteration is not told twice`() throws {
        var reading = Reading()
        reading.engine(
            #"{"ts":"2026-11-21T03:26:35.806Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#
                + "\n")
        reading.agent(Self.toolRun)
        reading.engine(
            """
            {"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary",\
            "payload":"{\\"input_tokens\\":7,\\"output_tokens\\":3}"}
            {"ts":"2026-11-21T03:26:46Z","iteration":1,"hat":"loop","topic":"loop.terminate",\
            "payload":"## Reason\\nmax_cost"}
            """)

        for topic in ["session.started", "iteration.started", "iteration.completed", "assistant"] {
            #expect(reading.topics().filter { $0 == topic }.count == 1, "\(topic)")
        }
        #expect(reading.narrator.state.endReason == "max_cost")
        #expect(reading.narrator.state.runs == 1)
    }

    @Test func `an iteration that ended before its output was read has started, once`() throws {
        let output = Self.toolRun.split(separator: "\n", omittingEmptySubsequences: false)
        var reading = Reading()
        reading.agent(output.prefix(2).joined(separator: "\n") + "\n")
        reading.engine(
            """
            {"ts":"2026-11-21T03:26:35.806Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}
            {"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary",\
            "payload":"{\\"duration_ms\\":150,\\"input_tokens\\":7,\\"output_tokens\\":3}"}
            """)
        reading.agent(output.dropFirst(2).joined(separator: "\n"))

        #expect(
            reading.topics().filter { $0.hasPrefix("iteration.") } == [
                "iteration.summary", "iteration.started", "iteration.completed",
            ])
        let start = try reading.last("iteration.started")
        #expect(start["iteration"] as? Int == 1)
        #expect(start["ts"] as? String == "2026-11-21T03:26:35.850Z")
    }

    @Test(arguments: ["", #"{"ts":"2026-11-21T03:26:36.5Z","topic":"note","payload":"x"}"# + "\n"])
    func `an iteration whose start the output has lost is told all the same, once`(_ row: String) throws {
        var reading = Reading(
            config: "hats: {builder: {triggers: [build.task]}, reviewer: {triggers: [slice.built]}}")
        reading.agent(
            Self.toolRun.split(separator: "\n").filter { !$0.contains("_end") && !$0.contains("terminated") }
                .joined(
                    separator: "\n") + "\n")
        reading.engine(
            #"{"ts":"2026-11-21T03:26:35.9Z","topic":"slice.built","payload":"x"}"# + "\n"
                + #"{"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
                + "\n")
        // It may be silent for as long as a person does not answer.
        reading.passTime(1_000_000)
        #expect(reading.narrator.state.iteration == 1)
        reading.engine(row)
        reading.agent(#"{"type":"text_delta","iteration":2,"delta":"x"}"# + "\n")
        #expect(reading.narrator.state.memory.agentHat == "reviewer")
        #expect(reading.narrator.state.iteration == 2 && reading.narrator.state.hat == "reviewer")
        #expect(reading.narrator.state.triggerEvent == "slice.built")

        reading.agent(
            #"{"type":"iteration_start","iteration":2,"hat":"reviewer","started_at":1795231597000}"# + "\n")
        #expect(reading.topics().filter { $0 == "iteration.started" }.count == 2)
        #expect(reading.topics(.server).filter { $0 == "iteration.started" }.count == 1)
    }

    @Test func `that a lost start was told is kept, also where nothing else changes`() throws {
        var reading = Reading()
        reading.agent(Self.toolRun.split(separator: "\n").dropLast().joined(separator: "\n") + "\n")
        reading.passTime()
        reading.engine(
            #"{"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
                + "\n" + #"{"ts":"2026-11-21T03:26:36.5Z","topic":"note","payload":"x"}"# + "\n")
        let revision = reading.narrator.state.revision
        reading.agent(#"{"type":"text_delta","iteration":2,"delta":"x"}"# + "\n")

        #expect(reading.topics().suffix(2) == ["iteration.started", "agent.text"])
        #expect(reading.narrator.state.revision != revision)
    }

    @Test func `hats are told in their order where rows are far ahead of the output`() throws {
        func row(_ second: Int, _ text: String) -> String {
            #"{"ts":"2026-11-21T03:26:\#(second)Z","# + text + "}\n"
        }
        func summary(_ number: Int) -> String {
            #""iteration":\#(number),"hat":"loop","topic":"iteration.summary","payload":"{}""#
        }
        let start =
            #"{"type":"iteration_start","iteration":1,"hat":"planner","started_at":1795231595807}"# + "\n"
        var reading = Reading(
            config:
                "hats: {planner: {triggers: [task.start]}, builder: {triggers: [a.go]}, tester: {triggers: [b.go]}}"
        )
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795231595806}"# + "\n"
                + start)
        reading.engine(
            row(36, #""topic":"a.go","payload":"x""#) + row(37, summary(1))
                + row(38, #""topic":"b.go","payload":"x""#) + row(39, summary(2))
                + row(40, #""topic":"c.go","payload":"x""#))
        reading.agent(
            start.replacing(#"1,"hat":"planner""#, with: #"2,"hat":"builder""#)
                + start.replacing(#"1,"hat":"planner""#, with: #"3,"hat":"tester""#))

        let changes = try reading.events().filter { $0["topic"] as? String == "hat.changed" }
        #expect(changes.map { $0["hat"] as? String } == ["planner", "builder", "tester"])
        #expect(changes.map { $0["iteration"] as? Int } == [1, 2, 3])
        #expect(changes.map { $0["triggered"] as? String } == [nil, "a.go", "b.go"])
    }

    @Test func `a run without output is not held to the limit that the output of the one before told`() {
        var reading = Reading(config: "event_loop: {max_iterations: 100}")
        reading.agent(Self.toolRun.replacing(#""max_iterations":9"#, with: #""max_iterations":1"#))
        #expect(reading.narrator.state.maxIterations == 1)
        reading.engine(
            #"{"ts":"2026-11-22T03:26:35Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#
                + "\n"
                + #"{"ts":"2026-11-22T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
                + "\n")

        #expect(reading.narrator.dueStart?.iteration == 2)
    }

    private static let summary =
        #"{"ts":"2026-11-21T03:26:37Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
        + "\n"
    private static let review = #"{"ts":"2026-11-21T03:26:38Z","topic":"built","payload":"x"}"# + "\n"

    @Test(
        arguments: [
            ([summary], "builder", "build.task"), ([], "builder", "build.task"),
            ([summary, review], "builder", "build.task"), ([summary], "tester", nil),
            ([summary, review], "reviewer", nil), ([review], "reviewer", nil),
        ] as [([String], String, String?)])
    func `a hat that the output tells of is told with what called for it`(
        rows: [String], hat: String, trigger: String?
    ) throws {
        var reading = Reading(
            config: "hats: {builder: {triggers: [build.task]}, reviewer: {triggers: [built]}}")
        let start =
            #"{"type":"iteration_start","iteration":1,"hat":"planner","started_at":1795231595807}"# + "\n"
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795231595806}"# + "\n"
                + start)
        reading.engine(Self.review.replacing("built", with: "build.task") + rows.joined())
        reading.agent(start.replacing(#"1,"hat":"planner""#, with: #"2,"hat":"\#(hat)""#))

        let change = try reading.last("hat.changed")
        #expect(change["hat"] as? String == hat && change["triggered"] as? String == trigger)
        #expect(reading.narrator.state.hat == hat && reading.narrator.state.triggerEvent == trigger)
    }

    @Test func `what called again for a hat counts also where it is read behind the output`() throws {
        var reading = Reading(config: "hats: {builder: {triggers: [build.task, built]}}")
        let start =
            #"{"type":"iteration_start","iteration":1,"hat":"builder","started_at":1795231595807}"# + "\n"
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795231595806}"# + "\n"
                + start + start.replacing(#"1,"hat""#, with: #"2,"hat""#))
        #expect(reading.narrator.state.triggerEvent == nil)

        reading.engine(Self.review + Self.summary)
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.triggerEvent == "built")
    }

    @Test func `an end that is held comes before a start that the output has lost`() throws {
        var reading = Reading()
        let lines = Self.toolRun.split(separator: "\n").filter { !$0.contains(#""duration_ms":118"#) }
            .dropLast()
        reading.agent(lines.joined(separator: "\n") + "\n")
        reading.engine(
            #"{"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
                + "\n")
        reading.agent(#"{"type":"text_delta","iteration":2,"delta":"x"}"# + "\n")
        #expect(reading.topics().suffix(3) == ["iteration.completed", "iteration.started", "agent.text"])
    }

    @Test func `a run that is found dead between two iterations was not in the next one`() throws {
        var reading = Reading()
        reading.agent(Self.toolRun.split(separator: "\n").dropLast().joined(separator: "\n"))
        reading.engine(
            #"{"ts":"2026-11-21T03:26:36Z","iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}"}"#
        )
        #expect(reading.narrator.state.iteration == 1, "its output says when the next one begins")

        reading.note(.ended(reason: "crashed", at: 1_795_231_597_000))
        #expect(reading.narrator.state.iteration == 1)
        #expect(reading.narrator.state.iterations.map(\.number) == [1])
    }

    @Test func `text is cut into pieces by size and by read`() throws {
        var reading = Reading()
        let delta = String(repeating: "x", count: 1000)
        for _ in 0..<2 {
            reading.agent(
                String(
                    repeating: #"{"type":"text_delta","iteration":1,"delta":"\#(delta)"}"# + "\n", count: 20))
        }

        #expect(
            try reading.events().map { ($0["payload"] as? String)?.count } == [17_000, 3_000, 17_000, 3_000])
    }

    @Test func `line ends and escape sequences may be cut by a read`() throws {
        var reading = Reading()
        let reads = AgentNarrationTests.cutText
        for read in reads { reading.agent(read) }

        #expect(
            try reading.events().map { $0["payload"] as? String } == [
                "line one\n", "line two ", "red\nx ", "link\n", "a b", "c",
            ])
    }

    @Test func `text stands before what happened to its file`() {
        var reading = Reading()
        let line = Array(#"{"type":"text_delta","iteration":1,"delta":"x"}"#.utf8)
        for generation in 0...1 {
            line.withUnsafeBytes {
                reading.narrator.readAgentLine(
                    $0, file: Reading.agentFile, generation: generation, offset: 0, fileTime: 0,
                    into: &reading.batch)
            }
        }
        reading.narrator.noteFileChange(.replaced, file: Reading.agentFile, now: 0, into: &reading.batch)

        #expect(reading.topics() == ["agent.text", "agent.text", "events.replaced"])
        #expect(reading.batch.contexts.map(\.generation) == [0, 1])
    }

    @Test func `output of an earlier run changes nothing`() throws {
        var reading = Reading()
        reading.engine(
            #"{"ts":"2026-11-22T00:00:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"new"}"#
                + "\n")
        let before = reading.narrator.state
        reading.agent(Self.toolRun)

        let after = reading.narrator.state
        #expect(after.iteration == before.iteration && after.hat == before.hat && after.prompt == "new")
        #expect(after.runEndedAt == nil && !after.hasAgentIterations)
        #expect(reading.topics(.agent).count == 13)
    }

    @Test func `rows that are far ahead of the output have the hat that the events call for`() throws {
        let row = { (second: Int, iteration: Int, topic: String) in
            #"{"ts":"2026-11-21T03:26:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
                + #""payload":"{}"}"# + "\n"
        }
        var reading = Reading(
            config: "hats: {builder: {triggers: [plan.done]}, tester: {triggers: [part.done]}}")
        reading.engine(row(35, 0, "task.start"))
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795231595806}"# + "\n"
                + #"{"type":"iteration_start","iteration":1,"hat":"ralph","started_at":1795231595807}"# + "\n"
        )
        let agentRow = { (second: Int, topic: String) in
            #"{"ts":"2026-11-21T03:26:\#(second)Z","topic":"\#(topic)","payload":"x"}"# + "\n"
        }
        // The output of iterations 2 and 3 is read behind these.
        reading.engine(
            agentRow(36, "plan.done") + row(37, 1, "iteration.summary") + agentRow(38, "part.done")
                + row(39, 2, "iteration.summary") + agentRow(40, "note"))

        let note = try reading.last("note")
        #expect(note["iteration"] as? Int == 3 && note["hat"] as? String == "tester")
        #expect(try reading.last("part.done")["hat"] as? String == "builder")
        reading.agent(
            #"{"type":"iteration_start","iteration":2,"hat":"builder","started_at":1795231597000}"# + "\n"
                + #"{"type":"iteration_start","iteration":3,"hat":"tester","started_at":1795231599000}"#
                + "\n")
        #expect(reading.narrator.state.hat == "tester")
        #expect(reading.narrator.state.iterations.map(\.hat) == ["ralph", "builder", "tester"])
    }

    @Test func `what an agent emits of Ralph's own topics is one event, and what Ralph says itself another`()
        throws
    {
        let row = #"{"ts":"2026-11-21T03:26:36Z","topic":"verify.failed","payload":"x"}"# + "\n"
        let own = #"{"type":"orchestration_event","topic":"verify.failed","payload":"Ralph's"}"# + "\n"
        let echo = own.replacing("Ralph's", with: "x")
        let start = { (number: Int) in
            #"{"type":"iteration_start","iteration":\#(number),"hat":"ralph","started_at":1795231595807}"#
                + "\n"
        }
        var reading = Reading()
        reading.agent(#"{"type":"loop_started","prompt":"p","started_at":1795231595806}"# + "\n" + start(1))
        let count = { (reading: Reading) throws in
            try reading.events().filter { $0["topic"] as? String == "verify.failed" }.count
        }
        reading.engine(row)
        reading.agent(own + echo)
        #expect(try count(reading) == 2)
        reading.agent(echo)
        #expect(try count(reading) == 3)

        // What was not repeated in its time is not awaited later.
        reading.engine(row)
        reading.agent(start(2) + start(3) + echo)
        #expect(try count(reading) == 5)
    }

    @Test func `a row whose payload is no string is known again in the text that Ralph makes of it`() {
        var reading = Reading()
        reading.agent(HeldEndTests.beginning)
        reading.engine(
            #"{"ts":"2026-11-21T03:26:36Z","topic":"build.blocked","payload":{"why": "lint", "at": [1, 2]}}"#
                + "\n")
        let text = #"{\"at\":[1,2],\"why\":\"lint\"}"#
        reading.agent(#"{"type":"orchestration_event","topic":"build.blocked","payload":"\#(text)"}"# + "\n")
        #expect(reading.topics().filter { $0 == "build.blocked" }.count == 1)
    }
}
