import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// Output of headless runs: a backend's own lines between Ralph's banners (contract 2.7).
@Suite struct BackendNarrationTests {
    private static let start =
        #"{"ts":"2026-11-21T03:26:35Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"# + "\n"
    private static let config =
        "hats: {builder: {triggers: [task.start]}, reviewer: {triggers: [slice.built]}}"

    private static func banner(_ iteration: Int, _ hat: String = "builder") -> String {
        """
        ===============================================================================
         ITERATION \(iteration) | ? \(hat) | 0s elapsed | \(iteration)/9
        ===============================================================================

        """
    }

    private static func assistant(_ id: String, input: Int, output: Int, _ content: String) -> String {
        #"{"type":"assistant","message":{"id":"\#(id)","role":"assistant","content":[\#(content)],"usage":{"input_tokens":\#(input),"output_tokens":\#(output),"cache_read_input_tokens":100,"cache_creation_input_tokens":10}},"session_id":"s"}"#
            + "\n"
    }

    private static func summary(_ iteration: Int, second: Int) -> String {
        #"{"ts":"2026-11-21T03:26:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"iteration.summary","payload":"{\"duration_ms\":900,\"cost_usd\":0.0,\"input_tokens\":0,\"output_tokens\":0}"}"#
            + "\n"
    }

    private static let end =
        ###"{"ts":"2026-11-21T03:26:50Z","iteration":2,"hat":"loop","topic":"loop.terminate","payload":"## Reason\ncompleted"}"###
        + "\n"

    private static let first =
        assistant("m1", input: 7, output: 20, #"{"type":"thinking","thinking":"hm"}"#)
        + assistant(
            "m1", input: 7, output: 20,
            #"{"type":"text","text":"Let me look"},{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"a"}},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"ls"}}"#
        )
        + #"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"a\nb"}],"is_error":false},{"type":"tool_result","tool_use_id":"t1","content":"gone","is_error":true}]}}"#
        + "\n"
        + assistant("m2", input: 9, output: 5, #"{"type":"text","text":"done"}"#)
    private static let result =
        #"{"type":"result","subtype":"success","is_error":false,"duration_ms":1234,"num_turns":2,"result":"done","total_cost_usd":0.25,"usage":{"input_tokens":16,"output_tokens":25}}"#
        + "\n"

    private static var output: String { banner(1) + first + result }

    private func usages(_ reading: Reading) throws -> [String] {
        try reading.events(.server).filter { $0["topic"] as? String == "assistant" }
            .compactMap { $0["payload"] as? String }
    }

    @Test func `each part of a message is an event, and a turn's end says what it used`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(Self.start)
        reading.agent(Self.output)

        let events = try reading.events(.agent)
        #expect(
            events.map { $0["topic"] as? String } == [
                "agent.text", "tool.invoked", "tool.invoked", "tool.completed", "tool.failed", "agent.text",
                "agent.result",
            ])
        #expect(events.allSatisfy { $0["iteration"] as? Int == 1 && $0["hat"] as? String == "builder" })
        #expect(events.compactMap { $0["tool"] as? String } == ["Read", "Bash", "Bash", "Read"])
        #expect((events[1]["input"] as? [String: String]) == ["file_path": "a"])
        #expect(events[3]["output"] as? String == "a\nb" && events[3]["status"] as? String == "completed")
        #expect(events[4]["output"] as? String == "gone" && events[4]["status"] as? String == "error")
        #expect(events[5]["payload"] as? String == "done")
        #expect((events[6]["data"] as? [String: Any])?["num_turns"] as? Int == 2)
        #expect(try usages(reading) == [#"{"usage":{"input_tokens":119,"output_tokens":25}}"#])
        #expect(reading.narrator.state.cost == 0.25 && reading.narrator.state.outputTokens == 25)
        #expect(reading.narrator.takeFigures(now: Reading.fileTime).isEmpty == false)
    }

    @Test func `messages of agents side by side are counted once each`() throws {
        func line(_ id: String, _ output: Int) -> String {
            Self.assistant(id, input: 1, output: output, #"{"type":"text","text":"a"}"#)
        }
        var reading = Reading(config: Self.config)
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + line("a", 3) + line("b", 10) + line("a", 5) + line("b", 10))
        reading.agent((0..<30).map { line("c\($0)", 1) }.joined() + line("a", 5) + Self.banner(2))

        #expect(try usages(reading) == [#"{"usage":{"input_tokens":111,"output_tokens":45}}"#])
    }

    @Test func `what is read again is the same`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(Self.start)
        reading.agent(Self.output)

        let bytes = Array(Self.output.utf8)
        let items = reading.batch.items.filter { $0.offset >= 0 && $0.origin == .agent }
        for (offset, items) in Dictionary(grouping: items, by: \.offset) {
            let line = bytes[Int(offset)...].prefix { $0 != 10 }
            var again = EventBatch()
            line.withUnsafeBytes {
                SessionNarrator.readArchivedLine(
                    $0, context: reading.batch.contexts[Int(items[0].context)], contextIndex: 0,
                    offset: offset,
                    fileTime: 0, into: &again)
            }
            #expect(Set(items.map(\.context)).count == 1)
            // Times that a list would take for the same are moved when events are new.
            let pairs = zip(items, again.items).map { item, other in
                (reading.batch.text(item.members), again.text(other.members))
            }
            #expect(again.count == items.count)
            for (text, other) in pairs {
                #expect(text.replacing(/"ts":"[^"]*"/, with: "") == other.replacing(/"ts":"[^"]*"/, with: ""))
            }
        }
    }

    @Test func `lines between messages that say nothing are read again as they were`() throws {
        let lines = [
            #"{"type":"system","n":1}"#, #"{"type":"assistant","message":{"content":[{"type":"thinking"}]}}"#,
            #"{"type":"system","n":2}"#,
        ]
        var reading = Reading()
        reading.agent(lines.joined(separator: "\n") + "\n")
        #expect(reading.topics() == ["system", "system"])

        var again = EventBatch()
        for line in lines {
            Array(line.utf8).withUnsafeBytes {
                SessionNarrator.readArchivedLine(
                    $0, context: reading.batch.contexts[0], contextIndex: 0, offset: 0, fileTime: 0,
                    into: &again)
            }
        }
        #expect(reading.batch.contexts.count == 1 && again.count == 2)
    }

    @Test func `what was stored as one event is read again as one`() throws {
        let line = Array(Self.first.split(separator: "\n")[1].utf8)
        let context = EventBatch.Context(
            file: Reading.agentFile, generation: 0, iteration: 1, hat: "5.-1\t\tbuilder")
        var batch = EventBatch()
        line.withUnsafeBytes {
            SessionNarrator.readArchivedLine(
                $0, context: context, contextIndex: 0, offset: 0, fileTime: 0, into: &batch)
        }

        #expect(batch.items.map { batch.text($0.topic) } == ["assistant"])
    }

    @Test func `rows that are further on change nothing of what a turn is counted for`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(Self.start + Self.summary(1, second: 36) + Self.summary(2, second: 38) + Self.end)
        reading.narrator.state.memory.heldStop = nil
        reading.agent(Self.output + Self.banner(2) + Self.first + Self.result)

        let usages = try reading.events(.server).filter { $0["topic"] as? String == "assistant" }
        #expect(usages.map { $0["iteration"] as? Int } == [1, 2])
        #expect(reading.narrator.state.cost == 0.5)
        #expect(try reading.events(.agent).map { $0["iteration"] as? Int }.suffix(7).allSatisfy { $0 == 2 })
    }

    @Test func `what an agent used that was ended counts when the next one begins`() throws {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + Self.first)
        #expect(try usages(reading) == [])

        reading.engine(Self.summary(1, second: 36))
        reading.agent(Self.banner(2) + Self.first)
        #expect(try usages(reading) == [#"{"usage":{"input_tokens":119,"output_tokens":25}}"#])

        reading.engine(Self.summary(2, second: 38) + Self.end)
        reading.passTime()
        #expect(try usages(reading).count == 2 && reading.narrator.state.outputTokens == 50)
    }

    @Test func `the end of a turn is worth storing at once`() throws {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + Self.first)
        let before = reading.narrator.state.revision
        reading.agent(Self.result)

        #expect(reading.narrator.state.revision != before)
        #expect(reading.narrator.state.memory.turn == nil && reading.narrator.state.cost == 0.25)
    }

    @Test func `the end of a turn behind text that waits has all that it says`() throws {
        var reading = Reading()
        reading.agent(#"{"type":"text_delta","iteration":1,"delta":"x"}"# + "\n" + Self.result)

        #expect(reading.topics(.agent) == ["agent.text", "agent.result"])
        #expect((try reading.last("agent.result")["data"] as? [String: Any])?["num_turns"] as? Int == 2)
    }

    @Test func `each turn of an iteration counts`() throws {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + Self.result + Self.result)

        #expect(reading.narrator.state.cost == 0.5 && reading.narrator.state.outputTokens == 50)
        #expect(try usages(reading).count == 2)
    }

    @Test func `an iteration starts with its banner`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            Self.start + #"{"ts":"2026-11-21T03:26:36Z","topic":"slice.built","payload":"x"}"# + "\n"
                + Self.summary(1, second: 36))
        reading.agent(Self.banner(2, "reviewer") + Self.first)
        reading.passTime()

        let events = try reading.events()
        let start = events.lastIndex { $0["topic"] as? String == "iteration.started" }
        #expect(start == events.firstIndex { $0["topic"] as? String == "agent.text" }.map { $0 - 1 })
        #expect(try reading.last("iteration.started")["iteration"] as? Int == 2)
        #expect(try reading.events(.agent).allSatisfy { $0["hat"] as? String == "reviewer" })
        #expect(reading.topics().filter { $0 == "iteration.started" }.count == 2)
    }

    @Test func `the cost is told with the run's end, once, though its output was read behind that`() throws {
        var reading = Reading()
        reading.narrator.hasOutput = true
        reading.engine(Self.start + Self.summary(1, second: 36) + Self.end)
        #expect(!reading.topics().contains("session.completed"))

        reading.agent(Self.output)
        reading.passTime()

        #expect(reading.topics(.server).suffix(3) == ["assistant", "result", "session.completed"])
        #expect(
            try reading.last("result")["payload"] as? String
                == #"{"total_cost_usd":0.25,"duration_ms":15000}"#)
        #expect(reading.topics().filter { $0 == "result" }.count == 1)
    }

    @Test func `a turn without a banner is of the iteration that rows tell of, though a run before had some`()
        throws
    {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + Self.result)
        reading.engine(Self.summary(1, second: 36) + Self.summary(2, second: 37) + Self.end)
        reading.passTime()
        reading.engine(
            #"{"ts":"2026-11-21T03:27:00Z","iteration":0,"hat":"loop","topic":"task.start","payload":"q"}"#
                + "\n",
            file: "events-20261121-032700.jsonl")
        reading.agent(Self.first + Self.result, file: "agent:next.log")

        #expect(try reading.last("assistant")["iteration"] as? Int == 1)
        #expect(try reading.last("agent.result")["iteration"] == nil)
        #expect(reading.narrator.state.cost == 0.25 && reading.narrator.state.runs == 2)
    }

    @Test func `a sum of costs is no more than its parts`() throws {
        var reading = Reading()
        reading.engine(Self.start + Self.summary(1, second: 36) + Self.summary(2, second: 38))
        for (iteration, cost) in [(1, "0.1"), (2, "0.2")] {
            reading.agent(
                Self.banner(iteration)
                    + Self.result.replacing(#""total_cost_usd":0.25"#, with: #""total_cost_usd":\#(cost)"#))
        }

        #expect(reading.narrator.state.cost == 0.3)
    }

    @Test func `output that was written last before the run began is of another one`() throws {
        var reading = Reading()
        reading.engine(Self.start)
        reading.fileTime = 1_795_231_594_000
        reading.agent(Self.output)

        #expect(reading.topics(.agent).count == 7)
        #expect(try usages(reading) == [] && reading.narrator.state.cost == 0)

        reading.fileTime = Reading.fileTime
        reading.agent(Self.output, file: "agent:next.log")
        #expect(try usages(reading).count == 1 && reading.narrator.state.cost == 0.25)
    }

    @Test func `output of an earlier headless run that is read late leaves that of the last run alone`()
        throws
    {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(
            AgentNarrationTests.toolRun.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n")
        reading.agent(Self.output, file: "agent:old.log")
        reading.agent(
            #"{"type":"tool_call_start","iteration":1,"tool_name":"Read","tool_call_id":"t9"}"# + "\n")

        #expect(try usages(reading) == [] && reading.narrator.state.cost == 0)
        #expect(try reading.last("agent.result")["iteration"] == nil)
        let call = try reading.last("tool.invoked")
        #expect(call["iteration"] as? Int == 1 && call["hat"] as? String == "builder")
    }

    @Test(arguments: [
        #"{"type":"assistant","message":"text"}"#, #"{"type":"user","message":{"content":"text"}}"#,
        #"{"type":"result","total_cost_usd":"much"}"#, #"{"type":"system","subtype":"init","tools":[]}"#,
    ])
    func `a line of another shape is an event as it is`(_ line: String) throws {
        var reading = Reading()
        reading.agent(line + "\n")

        let type = try #require(try decode(line)["type"] as? String)
        #expect(reading.topics() == [type])
    }

    @Test(arguments: [
        #"[]"#, #"[null,1,"x",[],{}]"#, #"[{"type":"text","text":""},{"type":"text"},{"type":"image"}]"#,
    ])
    func `a message without a part that says something is left out`(_ content: String) throws {
        var reading = Reading()
        reading.agent(#"{"type":"assistant","message":{"content":\#(content)}}"# + "\n")

        #expect(reading.topics() == [] && reading.narrator.state.droppedAgentLines == 1)
    }

    @Test func `what an agent is asked is none of its words`() throws {
        var reading = Reading()
        reading.agent(
            #"{"type":"user","message":{"content":[{"type":"text","text":"look"},{"type":"tool_result","content":"x"}]}}"#
                + "\n")

        #expect(reading.topics() == ["tool.completed"])
        #expect(try reading.last("tool.completed")["tool"] as? String == "tool")
    }

    @Test func `a message has 256 parts at most`() throws {
        let content = Array(repeating: #"{"type":"text","text":"x"}"#, count: 300).joined(separator: ",")
        var reading = Reading()
        reading.agent(#"{"type":"assistant","message":{"content":[\#(content)]}}"# + "\n")

        #expect(reading.batch.count == 256)
    }

    @Test(
        arguments: [
            (" ITERATION 12 | ? builder | 3s elapsed | 12/30", 12),
            (" ITERATION 0 | ? a | 0s elapsed | 0/3", nil),
            (" ITERATION x | ? a | 0s elapsed | 0/3", nil), (" ITERATION 7 of nine", nil),
            (" ITERATION 7 | so it goes", nil),
            ("ITERATION 7 | ? a | 0s elapsed | 7/9", nil),
            (" ITERATION 9999999999 | ? a | 0s elapsed | 1/3", nil),
            ("", nil), (" ITERATION ", nil),
        ] as [(String, Int?)])
    func `a banner names its iteration`(_ line: String, _ iteration: Int?) {
        #expect(Array(line.utf8).withUnsafeBytes { IterationBanner.iteration($0) } == iteration)
    }

    @Test(arguments: [0, 3, 99]) func `a banner of an iteration that cannot be is none`(_ number: Int) throws
    {
        var reading = Reading()
        reading.engine(Self.start)
        reading.agent(Self.banner(1) + Self.banner(number) + Self.first + Self.result)

        #expect(try reading.events(.agent).allSatisfy { $0["iteration"] as? Int == 1 })
    }
}
