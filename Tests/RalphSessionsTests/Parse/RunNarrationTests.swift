import Foundation
import RalphWire
import Testing

@testable import RalphSessions

@Suite struct RunNarrationTests {
    private static let config = """
        event_loop: {starting_event: work.start, max_iterations: 3, completion_promise: DONE}
        hats:
          reviewer: {triggers: [slice.built]}
          builder: {name: Builder, triggers: [slice.planned, "slice.re*", "other.*"], publishes: [slice.built]}
          planner: {triggers: [work.start, slice.accepted]}
        """

    /// A row of the orchestrator; the second counts from the hour.
    private func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "") -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return
            #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"\#(payload)"}"#
            + "\n"
    }

    private func emitted(_ second: Int, _ topic: String, _ payload: String = "null") -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return #"{"payload":\#(payload),"topic":"\#(topic)","ts":"\#(time)"}"# + "\n"
    }

    private let summary = #"{\"duration_ms\":900,\"cost_usd\":0.5,\"input_tokens\":10,\"output_tokens\":4}"#

    @Test func `an end that an agent emits, of an iteration or of the run, is an event and no more`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start", "p") + row(2, 1, "iteration.summary", summary))
        let before = reading.narrator.state
        reading.engine(
            emitted(3, "iteration.summary", "\"\(summary)\"") + emitted(3, "loop.terminate", #""all done""#)
                + ###"{"topic":"loop.terminate","payload":"## Reason\nx","source":"user"}"### + "\n")
        #expect(reading.narrator.state.completedIteration == 1 && reading.narrator.state.cost == before.cost)
        #expect(reading.narrator.state.endReason == nil)

        reading.engine(emitted(4, "loop.terminate", ###""## Reason\ninterrupted""###))
        #expect(reading.narrator.state.endReason == "interrupted")
    }

    @Test func `an agent's end row behind a summary does not keep the next iteration back`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start", "p") + row(2, 1, "iteration.summary", summary))
        reading.engine(emitted(3, "loop.terminate", #""all done""#))
        #expect(reading.narrator.state.iteration == 2)
        #expect(try reading.last("iteration.started")["iteration"] as? Int == 2)
    }

    @Test(arguments: [("loop.terminate", Int64(5)), ("slice.built", 4)])
    func `when the run before ended is known, also of one that went away without a word`(
        _ topic: String, _ second: Int64
    ) {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start", "p"))
        #expect(reading.narrator.state.runBeforeEndedAt == nil)
        reading.engine(emitted(4, "slice.planned"))
        if topic == "loop.terminate" { reading.engine(row(5, 1, topic, ###"## Reason\ninterrupted"###)) }
        reading.engine(row(9, 0, "work.start", "p"), file: "events-20261121-042036.jsonl")

        #expect(reading.narrator.state.runBeforeEndedAt == 1_795_230_000_000 + second * 1000)
    }

    @Test func `a run that was found dead ended no earlier than its last row`() {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start", "p") + emitted(4, "slice.planned"))
        reading.note(.ended(reason: "crashed", at: 1_795_230_004_000 - 6))

        #expect(reading.narrator.state.runEndedAt == 1_795_230_004_000)
    }

    private static let others = """
        event_loop: {starting_event: work.start}
        hats:
          planner: {triggers: [work.start, build.blocked]}
          builder: {triggers: [build.task]}
          assistant: {triggers: ["human.*"]}
          reviewer: {triggers: [build.done]}
        """

    @Test(arguments: [
        ("build.task", "build.task", "builder"), ("build.done", "build.done", "planner"),
        ("human.guidance", "human.guidance", "ralph"), ("human.note", "build.task", "builder"),
    ])
    func `what people say calls for no hat, and unproved work for who mends it`(
        first: String, second: String, hat: String
    ) throws {
        var reading = Reading(config: Self.others)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, first, #""x""#) + emitted(1, second, #""y""#)
                + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == hat)
    }

    @Test(arguments: [("planner: {triggers: [work.start]}", "ralph"), ("x: {triggers: [task.resume]}", "x")])
    func `a continued run hears of that, and of what came behind the end`(hats: String, hat: String) throws {
        var reading = Reading(
            config: "event_loop: {starting_event: work.start}\nhats: {\(hats), late: {triggers: [late.go]}}")
        reading.engine(
            row(0, 0, "work.start", "p") + row(1, 1, "iteration.summary")
                + row(2, 1, "loop.terminate", "## Reason\\nstopped"))
        reading.engine(row(9, 0, "work.start", "p"))
        #expect(reading.narrator.state.runs == 2 && reading.narrator.state.hat == hat)
        reading.engine(
            row(10, 2, "iteration.summary") + emitted(11, "late.go")
                + row(12, 2, "loop.terminate", "## Reason\\nstopped"))
        reading.engine(row(19, 0, "work.start", "p"))
        #expect(reading.narrator.state.runs == 3 && reading.narrator.state.hat == hat)
        reading.engine(
            row(20, 3, "iteration.summary") + row(21, 3, "loop.terminate", "## Reason\\nstopped")
                + emitted(22, "late.go") + emitted(22, "human.guidance"))
        reading.engine(row(29, 0, "work.start", "p"))
        #expect(reading.narrator.state.runs == 4 && reading.narrator.state.hat == "late")
    }

    @Test(arguments: ["build.done", "human.note"])
    func `no row tells of a hat that Ralph does not call for`(_ topic: String) throws {
        var reading = Reading()
        reading.engine(
            row(0, 0, "task.start", "p")
                + #"{"ts":"2026-11-21T03:20:37Z","iteration":1,"hat":"loop","topic":"\#(topic)","triggered":"x","payload":"y"}"#
                + "\n" + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "")
    }

    @Test func `the hat that every start row names is none of a run without hats`() throws {
        let start =
            #"{"ts":"2026-11-21T03:20:36Z","iteration":0,"hat":"loop","topic":"task.start","triggered":"planner","payload":"p"}"#
            + "\n"
        for (config, hat) in [("max_iterations: 3", "ralph"), (nil, "")] {
            var reading = Reading(config: config)
            reading.engine(start)
            #expect(reading.narrator.state.hat == hat && reading.narrator.state.runs == 1)
        }
    }

    @Test func `hats follow from the events since the last summary`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, "slice.planned") + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "builder")
        #expect(reading.narrator.state.triggerEvent == "slice.planned")

        reading.engine(emitted(3, "work.start") + emitted(3, "slice.built") + row(4, 2, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "reviewer")
        #expect(
            try reading.last("hat.changed")["payload"] as? String
                == #"{"from":"builder","to":"reviewer","reason":"slice.built"}"#)
    }

    @Test func `a hat that is called for again is there for what called last`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, "slice.planned") + row(2, 1, "iteration.summary"))
        reading.passTime()
        reading.engine(emitted(3, "other.go") + row(4, 2, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 3 && reading.narrator.state.hat == "builder")
        #expect(reading.narrator.state.triggerEvent == "other.go")
        #expect(reading.topics().filter { $0 == "hat.changed" }.count == 2)
    }

    @Test func `a fresh run begins with no hat, and a continued one with that of before`() throws {
        for (start, from) in [("task.start", nil), ("task.resume", "builder")] {
            var reading = Reading(config: Self.config)
            reading.engine(
                row(0, 0, "work.start", "p") + emitted(1, "slice.planned") + row(2, 1, "iteration.summary"))
            reading.passTime()
            reading.engine(row(4, 2, "loop.terminate", "## Reason\\nstopped") + row(9, 0, start, "p"))

            #expect(reading.narrator.state.runs == 2)
            #expect(try reading.last("session.started")["hat"] as? String == from)
            #expect(try reading.last("hat.changed")["iteration"] as? Int == (from == nil ? 1 : 2))
        }
    }

    @Test(arguments: [
        ("{alpha: {triggers: a.go}, beta: {triggers: b.go}}", ["b.go", "a.go"], "alpha", "a.go"),
        ("{alpha: {triggers: a.go}, beta: {triggers: b.go}}", ["b.go", "b.go"], "beta", "b.go"),
        ("{alpha: {triggers: x.start}, beta: {triggers: b.go}}", ["x.start", "b.go"], "beta", "b.go"),
        ("{alpha: {triggers: x.start}, beta: {triggers: b.go}}", ["b.go", "x.start"], "beta", "b.go"),
        (
            "{alpha: {triggers: x.start}, beta: {triggers: y.start}}", ["y.start", "x.start"], "alpha",
            "x.start"
        ),
        ("{alpha: {triggers: [a.go, c.go]}}", ["c.go", "a.go"], "alpha", "c.go"),
        ("{abc: {triggers: a.go}, Zed: {triggers: a.go}}", ["a.go"], "zed", "a.go"),
        ("{abc: {triggers: a.go}, Zed: {triggers: z.go}}", ["a.go", "z.go"], "zed", "z.go"),
    ])
    func `of several events the one in the first queue calls for the hat`(
        hats: String, topics: [String], hat: String, trigger: String
    ) {
        var reading = Reading(config: "hats: " + hats)
        reading.engine(row(0, 0, "task.begin", "p") + row(1, 1, "iteration.summary"))
        reading.passTime()
        reading.engine(topics.map { emitted(2, $0) }.joined() + row(3, 2, "iteration.summary"))
        reading.passTime()

        #expect(reading.narrator.state.hat == hat)
        #expect(reading.narrator.state.triggerEvent == trigger)
    }

    @Test func `a run is told from start to end`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, "slice.planned")
                + row(2, 1, "iteration.summary", summary))
        reading.engine(emitted(3, "DONE") + row(4, 2, "iteration.summary", summary))
        reading.engine(row(5, 2, "loop.terminate", "## Reason\\ncompleted\\n\\n## Status\\nx"))

        #expect(
            reading.topics(.server) == [
                "session.started", "hat.changed", "iteration.started", "iteration.completed", "assistant",
                "hat.changed", "iteration.started", "iteration.completed", "assistant", "result",
                "session.completed",
            ])
        let state = reading.narrator.state
        #expect(state.iteration == 2 && state.completedIteration == 2 && state.endReason == "completed")
        #expect(state.cost == 1 && state.outputTokens == 8 && state.peakInputTokens == 10)
        #expect(state.iterations.map(\.hat) == ["planner", "builder"])
        #expect(state.iterations.map(\.durationMilliseconds) == [900, 900])
        #expect(
            try reading.last("result")["payload"] as? String == #"{"total_cost_usd":1.0,"duration_ms":5000}"#)
    }

    @Test func `a refused completion lets the next iteration begin`() {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start") + emitted(1, "DONE") + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 1)

        reading.engine(emitted(3, "slice.built"))
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.topics().suffix(2) == ["iteration.started", "slice.built"])
    }

    @Test func `a completion that nothing comes of is refused as well`() {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start") + emitted(1, "DONE") + row(2, 1, "iteration.summary"))
        reading.passTime(15_000)
        #expect(reading.narrator.state.iteration == 1, "hooks may take that long")
        reading.passTime(40_000)
        #expect(reading.narrator.state.iteration == 2)
    }

    @Test func `a continued run goes on counting and a fresh one begins anew`() throws {
        var reading = Reading()
        reading.engine(
            row(0, 0, "task.start") + row(1, 1, "iteration.summary")
                + row(2, 1, "loop.terminate", "## Reason\\nstopped"))
        #expect(reading.topics().last == "session.stopped")

        reading.engine(row(9, 0, "task.resume"))
        #expect(reading.narrator.state.iteration == 2)
        reading.engine(row(20, 0, "task.start"), file: "events-2.jsonl")
        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.runs == 3)
        #expect(
            try reading.events(.server).filter { $0["topic"] as? String == "session.started" }
                .map { ($0["data"] as? [String: Any])?["reason"] as? String } == [
                    "started", "continued", "started",
                ])
    }

    @Test(arguments: [true, false])
    func `a run whose start was not read is continued by a start row of its file`(hasSummary: Bool) throws {
        var reading = Reading()
        reading.engine(
            (hasSummary ? row(1, 5, "iteration.summary") : "")
                + row(2, 5, "loop.terminate", "## Reason\\nstopped")
                + row(9, 0, "task.resume"))

        #expect(reading.narrator.state.iteration == 6)
        #expect(
            (try reading.last("session.started")["data"] as? [String: Any])?["reason"] as? String
                == "continued")
        #expect(try reading.last("iteration.started")["iteration"] as? Int == 6)
    }

    @Test func `results of a wave are not judged`() {
        var reading = Reading()
        reading.engine(
            #"{"ts":"2026-11-21T03:20:36Z","topic":"review.done","payload":"fine","wave_id":"w-1","wave_index":0}"#
        )

        #expect(reading.topics() == ["review.done"] && reading.narrator.state.backpressure == nil)
    }

    @Test func `simple rows get the iteration and hat at work`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "work.start") + emitted(1, "slice.planned"))

        let event = try reading.last("slice.planned")
        #expect(event["iteration"] as? Int == 1 && event["hat"] as? String == "planner")
        #expect(reading.batch.contexts.map(\.iteration) == [0, 1])
    }

    @Test func `questions wait for their answers`() throws {
        var reading = Reading()
        reading.engine(
            emitted(1, "human.interact", #"{"question":"Deploy?"}"#)
                + emitted(2, "human.interact", #""Sure?""#))
        #expect(reading.narrator.state.questions.map(\.text) == ["Deploy?", "Sure?"])

        reading.engine(emitted(3, "human.response", #""yes""#))
        #expect(reading.narrator.state.questions.map(\.text) == ["Sure?"])
        reading.engine(row(4, 1, "iteration.summary") + row(5, 2, "iteration.summary"))
        #expect(reading.narrator.state.questions.map(\.isOvertaken) == [true])
    }

    @Test(arguments: [
        (
            "build.done",
            "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass, complexity: 6, duplication: pass",
            true
        ),
        (
            "build.done",
            "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass, complexity: 11, duplication: pass",
            false
        ),
        ("build.done", "all good", false), ("review.done", "tests: pass, build: pass", true),
        ("review.done", "tests: pass", false),
        (
            "verify.passed",
            "quality.tests: pass, quality.lint: pass, quality.audit: pass, quality.coverage: 82%, quality.mutation: 71%, quality.complexity: 7",
            true
        ),
        (
            "verify.passed",
            "quality.tests: pass, quality.lint: pass, quality.audit: pass, quality.coverage: 79%, quality.mutation: 71%, quality.complexity: 7",
            false
        ),
    ]) func `checks are judged by Ralph's rules`(topic: String, payload: String, isPassed: Bool) throws {
        var reading = Reading()
        reading.engine(emitted(1, topic, "\"\(payload)\""))

        let event = try #require(try reading.events(.server).first)
        #expect(event["topic"] as? String == (isPassed ? "backpressure.passed" : "backpressure.failed"))
        #expect(event["status"] as? String == (isPassed ? "pass" : "fail"))
        #expect(reading.narrator.state.backpressure?.isPassed == isPassed)
    }

    @Test func `of an iteration's ordinary lines only the first one moves the revision`() {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + emitted(1, "note.1"))
        let revision = reading.narrator.state.revision
        for second in 2...50 { reading.engine(emitted(second, "note.\(second)")) }

        #expect(reading.narrator.state.revision == revision)
        #expect(reading.narrator.state.engineEvents == 51)
    }

    @Test func `the state survives being stored`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "work.start") + emitted(1, "human.interact") + row(2, 1, "iteration.summary", summary))

        let stored = try JSONEncoder().encode(reading.narrator.state)
        #expect(try JSONDecoder().decode(SessionState.self, from: stored) == reading.narrator.state)
    }

    @Test func `file changes and skipped lines are told`() throws {
        var reading = Reading()
        reading.narrator.noteFileChange(.truncated, file: "e.jsonl", now: 1, into: &reading.batch)
        reading.narrator.skipOverlongLine(
            bytes: 9, file: "e.jsonl", offset: 5, now: 2, into: &reading.batch)

        #expect(reading.topics(.server) == ["events.truncated", "events.skipped"])
        let payload = try reading.last("events.skipped")["payload"] as? String
        #expect(payload == #"{"file":"e.jsonl","offset":5,"bytes":9}"#)
        #expect(reading.narrator.state.overlongLines == 1)
    }
}
