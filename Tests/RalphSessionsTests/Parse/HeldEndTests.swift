import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// Of two ends of an iteration in a run's output the second one counts (contract 4.8).
@Suite(.timeLimit(.minutes(1))) struct HeldEndTests {
    static let beginning = """
        {"type":"loop_started","prompt":"p","max_iterations":9,"backend":"claude","started_at":1795231595806}
        {"type":"iteration_start","iteration":1,"hat":"builder","started_at":1795231595807}

        """
    static let first = end(1, duration: 400, cost: "0.1", tokens: (100, 10), isComplete: false)
    static let second = end(1, duration: 900, cost: "0.25", tokens: (500, 60), isComplete: true)
    static let next =
        #"{"type":"iteration_start","iteration":2,"hat":"tester","started_at":1795231597000}"# + "\n"
    static let termination =
        #"{"type":"loop_terminated","reason":"completed","total_iterations":1,"terminated_at":1795231606053}"#
        + "\n"
    /// What may come between two ends.
    static let between = """
        {"type":"guidance_ack","message":"go on","applies_to":"next"}
        {"type":"response","command":"guidance","success":true}
        {"type":"text_delta","iteration":1,"delta":"bye"}

        """

    static func end(
        _ iteration: Int, duration: Int, cost: String, tokens: (Int, Int), isComplete: Bool
    ) -> String {
        #"{"type":"iteration_end","iteration":\#(iteration),"duration_ms":\#(duration),"cost_usd":\#(cost),"#
            + #""input_tokens":\#(tokens.0),"output_tokens":\#(tokens.1),"#
            + #""loop_complete_triggered":\#(isComplete)}"# + "\n"
    }

    private static func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String) -> String {
        #"{"ts":"2026-11-21T03:26:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    /// The payloads of all events of a topic.
    private func payloads(_ topic: String, _ reading: Reading) throws -> [String?] {
        try reading.events().filter { $0["topic"] as? String == topic }.map { $0["payload"] as? String }
    }

    /// Goes on with what a store would have kept.
    private func restart(_ reading: inout Reading) throws {
        let bytes = try JSONEncoder().encode(reading.narrator.state)
        reading.narrator = SessionNarrator(
            state: try JSONDecoder().decode(SessionState.self, from: bytes), workspace: nil)
    }

    @Test func `the second of two ends is told, and only that`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first + Self.second + Self.termination)

        #expect(
            reading.topics(.agent) == [
                "loop.started", "iteration.started", "iteration.completed", "loop.terminated",
            ])
        let end = try reading.last("iteration.completed")
        #expect(end["duration"] as? Int == 900 && end["iteration"] as? Int == 1)
        #expect((end["data"] as? [String: Any])?["loop_complete_triggered"] as? Bool == true)
        #expect(
            try payloads("assistant", reading) == [#"{"usage":{"input_tokens":500,"output_tokens":60}}"#])
        #expect(try payloads("result", reading) == [#"{"total_cost_usd":0.25,"duration_ms":10247}"#])
        let state = reading.narrator.state
        #expect(state.cost == 0.25 && state.outputTokens == 60 && state.peakInputTokens == 500)
        #expect(state.iterations.map(\.durationMilliseconds) == [900] && state.droppedAgentLines == 1)
        let total = reading.narrator.takeFigures(now: Reading.fileTime).total
        #expect(total.iterations == 1 && total.inputTokens == 500 && total.costNanodollars == 250_000_000)
    }

    @Test(arguments: ["", between]) func `reads and restarts between two ends change nothing`(
        between: String
    ) throws {
        let text = Self.beginning + Self.first + between + Self.second + Self.termination
        var whole = Reading()
        whole.agent(text)
        var parts = Reading()
        for line in text.split(separator: "\n") {
            parts.agent(line + "\n")
            try restart(&parts)
        }

        #expect(parts.topics(.agent).filter { $0 == "iteration.completed" }.count == 1)
        #expect(parts.texts == whole.texts)
        #expect(parts.batch.items.map(\.offset) == whole.batch.items.map(\.offset))
        #expect(
            parts.narrator.state.cost == 0.25 && parts.narrator.state.memory == whole.narrator.state.memory)
    }

    @Test(arguments: [
        next, termination, #"{"type":"orchestration_event","topic":"a.b","payload":""}"# + "\n",
        end(2, duration: 1, cost: "0", tokens: (1, 1), isComplete: false),
    ]) func `what the loop says next lets the only end be told`(line: String) throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        #expect(!reading.topics().contains("iteration.completed") && !reading.topics().contains("assistant"))
        reading.agent(line)

        #expect(try reading.last("iteration.completed")["duration"] as? Int == 400)
        #expect(
            Array(reading.topics(.agent).prefix(3).dropFirst()) == [
                "iteration.started", "iteration.completed",
            ])
        #expect(reading.narrator.state.cost == 0.1)
    }

    @Test func `an end that waited long enough is told, and what comes then is not`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        reading.passTime()
        #expect(try payloads("assistant", reading) == [#"{"usage":{"input_tokens":100,"output_tokens":10}}"#])
        reading.agent(Self.second + Self.termination)

        #expect(try payloads("assistant", reading).count == 1)
        #expect(reading.topics().filter { $0 == "iteration.completed" }.count == 1)
    }

    @Test func `a third end is not told`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first + Self.second + Self.first + Self.termination)

        #expect(reading.topics().filter { $0 == "iteration.completed" }.count == 1)
        #expect(try payloads("assistant", reading).count == 1 && reading.narrator.state.cost == 0.25)
    }

    @Test func `a run's last row waits for no end`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        reading.engine(Self.row(46, 1, "loop.terminate", "## Reason\\ncompleted"))

        #expect(
            reading.topics().suffix(4) == ["loop.terminate", "assistant", "iteration.completed", "result"])
        #expect(reading.narrator.state.cost == 0.1 && reading.narrator.state.endReason == "completed")
    }

    @Test(arguments: ["loop_terminated", "no last line", "the next run"])
    func `a run's end is told behind the rest of its output`(_ last: String) throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(
            Self.row(45, 1, "iteration.summary", "{}")
                + Self.row(46, 1, "loop.terminate", "## Reason\\ncompleted"))
        #expect(!reading.topics().contains("session.completed"))
        reading.agent(#"{"type":"text_delta","iteration":1,"delta":"Bye."}"# + "\n")
        switch last {
        case "loop_terminated": reading.agent(Self.first + Self.termination)
        case "the next run": reading.engine(Self.row(59, 0, "task.start", "p"))
        default: reading.passTime()
        }

        let topics = reading.topics()
        let words = try #require(topics.lastIndex(of: "agent.text"))
        // Also where the output has lost the line that tells it.
        let completed = try #require(topics.lastIndex(of: "iteration.completed"))
        let end = try #require(topics.lastIndex(of: "session.completed"))
        #expect(words < completed && completed < end)
        #expect(topics.filter { $0 == "iteration.completed" || $0 == "session.completed" }.count == 2)
        #expect(last != "loop_terminated" || topics.last == "session.completed")
    }

    @Test func `an iteration's end that is read behind the next run is told once`() throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(
            Self.row(45, 1, "iteration.summary", "{}")
                + Self.row(46, 1, "loop.terminate", "## Reason\\ncompleted")
                + Self.row(59, 0, "task.start", "p"))
        reading.agent(Self.first + Self.second + Self.termination)

        #expect(reading.topics().filter { $0 == "iteration.completed" }.count == 1)
    }

    @Test func `an end that a summary told the figures of goes on waiting`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        let figures =
            #"{\"duration_ms\":900,\"cost_usd\":0.25,\"input_tokens\":500,\"output_tokens\":60}"#
        reading.engine(
            Self.row(45, 1, "iteration.summary", figures)
                + Self.row(46, 1, "loop.terminate", "## Reason\\ncompleted"))
        reading.agent(Self.second + Self.termination)

        #expect(try reading.last("iteration.completed")["duration"] as? Int == 900)
        #expect(
            try payloads("assistant", reading) == [#"{"usage":{"input_tokens":500,"output_tokens":60}}"#])
        #expect(reading.narrator.state.cost == 0.25)
    }

    @Test func `the next run and a change of the file find nothing held`() throws {
        for isRun in [false, true] {
            var reading = Reading()
            reading.agent(Self.beginning + Self.first)
            if isRun {
                reading.engine(
                    #"{"ts":"2026-11-21T04:00:00Z","iteration":0,"hat":"loop","topic":"task.start"}"# + "\n")
            } else {
                reading.narrator.noteFileChange(
                    .replaced, file: Reading.agentFile, now: 0, into: &reading.batch)
            }

            #expect(reading.topics().contains("iteration.completed") && reading.narrator.heldEnd == nil)
            #expect(reading.narrator.takeFigures(now: Reading.fileTime).total.outputTokens == 10)
        }
    }

    @Test func `the output of an older run that was removed is no deleted events file`() {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        for file in [Reading.agentFile, "events.jsonl"] {
            for change in [TailChange.deleted, .returned] {
                reading.narrator.noteFileChange(change, file: file, now: 0, into: &reading.batch)
            }
        }

        #expect(reading.topics().contains("iteration.completed") && reading.narrator.heldEnd == nil)
        #expect(reading.topics(.server).suffix(2) == ["events.deleted", "events.returned"])
        #expect(reading.topics(.server).count { $0.hasPrefix("events.") } == 2)
    }

    @Test(arguments: [0, 1]) func `an end of up to 4 KiB is held, and a longer one told at once`(
        _ excess: Int
    ) throws {
        let frame = #"{"type":"iteration_end","iteration":1,"duration_ms":1,"x":""}"#
        let rest = String(repeating: "x", count: 4096 - frame.utf8.count + excess)
        var reading = Reading()
        reading.agent(Self.beginning + frame.dropLast(2) + rest + frame.suffix(2) + "\n")
        #expect(reading.topics().contains("iteration.completed") == (excess > 0))
    }

    @Test func `a clock that is set back during a run leaves its output that run's`() {
        var reading = Reading()
        reading.agent(
            Self.beginning + Self.first + Self.next.replacing("1795231597000", with: "1795231000000"))

        let state = reading.narrator.state
        #expect(state.iteration == 2 && state.hat == "tester" && state.completedIteration == 1)
    }

    @Test func `an output that was written behind a clock that was set back is that of its rows' run`() {
        var reading = Reading()
        reading.fileTime = 1_795_231_595_806 - 100_000
        reading.engine(
            #"{"ts":"2026-11-21T03:26:35.806Z","iteration":0,"hat":"loop","topic":"task.start","payload":"p"}"#
                + "\n")
        reading.agent(Self.beginning)

        #expect(reading.topics().filter { $0 == "iteration.started" }.count == 1)
        #expect(reading.narrator.state.hasAgentIterations && reading.narrator.state.runs == 1)
    }

    @Test func `what is read behind a run's last row is as new as that, not as its iteration's start`() throws
    {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(
            Self.row(45, 1, "iteration.summary", "{}")
                + Self.row(46, 1, "loop.terminate", "## Reason\\ncompleted"))
        reading.agent(#"{"type":"text_delta","iteration":1,"delta":"Bye."}"# + "\n")

        #expect(try reading.last("agent.text")["ts"] as? String == Timestamp.text(1_795_231_606_000))
    }

    /// An end that says nothing of its iteration.
    private static let bare = #"{"type":"iteration_end","iteration":1}"# + "\n"

    @Test(
        arguments: [
            ("", first, 1_795_231_596_207), ("", bare, Reading.fileTime),
            (row(37, 1, "iteration.summary", "{}"), first, 1_795_231_597_000),
            (row(37, 1, "iteration.summary", "{}"), bare, 1_795_231_597_000),
            (row(35, 1, "iteration.summary", "{}"), bare, 1_795_231_595_807),
        ] as [(String, String, Int64)])
    func `an end that is read late has the time that rows or its output tell, read again too`(
        rows: String, end: String, time: Int64
    ) throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(rows)
        reading.agent(end)
        reading.passTime()

        let batch = reading.batch
        let item = try #require(batch.items.first { batch.text($0.topic) == "iteration.completed" })
        #expect(item.timestamp == time)
        var again = EventBatch()
        Array(end.dropLast().utf8).withUnsafeBytes {
            SessionNarrator.readArchivedLine(
                $0, context: batch.contexts[Int(item.context)], contextIndex: 0, offset: item.offset,
                fileTime: 0, into: &again)
        }
        #expect(again.items.map { again.text($0.members) } == [batch.text(item.members)])
    }

    @Test func `an end that is read late is not put off by what the next iteration waited for`() throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(
            Self.row(37, 1, "iteration.summary", "{}") + Self.row(99, 2, "iteration.summary", "{}"))
        reading.narrator.state.iterations[1].startedAt = 1_795_231_650_000
        reading.agent(Self.first)
        reading.passTime()

        let end = try reading.last("iteration.completed")
        #expect(end["ts"] as? String == Timestamp.text(1_795_231_596_207))
        #expect(try reading.last("assistant")["ts"] as? String == end["ts"] as? String)
    }

    @Test func `an end that is read at once is no newer than its file`() throws {
        var reading = Reading()
        reading.fileTime = 1_795_231_596_100
        reading.agent(Self.beginning + Self.first)
        reading.passTime()

        #expect(try reading.last("iteration.completed")["ts"] as? String == Timestamp.text(reading.fileTime))
    }

    @Test func `ends that were missed are as far apart as their iterations`() throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(
            Self.row(37, 1, "iteration.summary", "{}") + Self.row(39, 2, "iteration.summary", "{}"))
        reading.agent(Self.first + Self.next + Self.bare.replacing(":1}", with: ":2}"))
        reading.passTime()

        let ends = reading.batch.items.filter { reading.batch.text($0.topic) == "iteration.completed" }
        #expect(ends.map(\.timestamp) == [1_795_231_597_000, 1_795_231_599_000])
        #expect(
            reading.narrator.state.iterations.map(\.startedAt) == [1_795_231_595_807, 1_795_231_597_000])
    }

    @Test func `an end that the output has lost is told before the next start, once`() throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(Self.row(45, 1, "iteration.summary", #"{\"duration_ms\":9000}"#))
        reading.agent(Self.next + Self.second)
        reading.passTime()

        #expect(
            reading.topics().filter { $0.hasPrefix("iteration.") } == [
                "iteration.started", "iteration.summary", "iteration.completed", "iteration.started",
            ])
        let end = try reading.last("iteration.completed")
        #expect(end["iteration"] as? Int == 1 && end["hat"] as? String == "builder")
        #expect(end["ts"] as? String == Timestamp.text(1_795_231_604_807))
    }

    @Test func `an end that is lost with the next start is told before that, once`() throws {
        var reading = Reading()
        reading.agent(Self.beginning)
        reading.engine(Self.row(45, 1, "iteration.summary", #"{\"duration_ms\":9000}"#))
        reading.agent(#"{"type":"text_delta","iteration":2,"delta":"x"}"# + "\n" + Self.second)
        reading.passTime()

        #expect(
            reading.topics().filter { $0.hasPrefix("iteration.") } == [
                "iteration.started", "iteration.summary", "iteration.completed", "iteration.started",
            ])
        #expect(try reading.last("iteration.completed")["iteration"] as? Int == 1)
        #expect(try reading.last("iteration.started")["iteration"] as? Int == 2)
    }

    @Test func `a state that was stored before ends were held still decodes`() throws {
        var reading = Reading()
        reading.agent(Self.beginning + Self.first)
        var object = try decode(String(decoding: JSONEncoder().encode(reading.narrator.state), as: UTF8.self))
        var memory = try #require(object["memory"] as? [String: Any])
        #expect(memory.removeValue(forKey: "heldEnd") != nil)
        object["memory"] = memory

        let old = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(SessionState.self, from: old).memory.heldEnd == nil)
    }
}
