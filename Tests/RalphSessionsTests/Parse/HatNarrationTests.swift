import RalphWire
import Testing

@testable import RalphSessions

/// Which hat works where rows alone do not tell (contract 2.4, 2.5).
@Suite struct HatNarrationTests {
    /// A row of the orchestrator; the second counts from the hour.
    private func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "") -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return
            #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"\#(payload)"}"#
            + "\n"
    }

    private func emitted(_ second: Int, _ topic: String) -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return #"{"payload":null,"topic":"\#(topic)","ts":"\#(time)"}"# + "\n"
    }

    private static let silent = """
        event_loop: {starting_event: work.start}
        hats:
          planner: {triggers: [work.start, task.resume]}
          builder: {triggers: [build.task]}
          checker: {triggers: [check.it], default_publishes: build.task}
          closer: {triggers: [close.it], default_publishes: LOOP_COMPLETE}
          watcher: {triggers: ["*"]}
        """

    @Test(arguments: [
        ("build.task", [], "planner"), ("check.it", [], "builder"),
        ("build.task", ["LOOP_COMPLETE"], "planner"), ("check.it", ["LOOP_COMPLETE"], "planner"),
        ("build.task", ["build.task", "LOOP_COMPLETE"], "builder"), ("build.task", ["note.x"], "watcher"),
        ("close.it", [], "closer"), ("build.task", ["LOOP_COMPLETE", "human.note"], "ralph"),
        ("build.task", ["human.note"], "ralph"),
    ])
    func `an iteration that says nothing, or whose promise is not believed, calls for who resumes`(
        first: String, second: [String], hat: String
    ) throws {
        var reading = Reading(config: Self.silent)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, first) + row(2, 1, "iteration.summary")
                + second.map { emitted(3, $0) }.joined() + row(4, 2, "iteration.summary"))
        reading.passTime()
        if reading.narrator.state.iteration == 2 { reading.engine(row(9, 3, "iteration.summary")) }
        let iterations = reading.narrator.state.iterations
        #expect(iterations.first { $0.number == 3 }?.hat == hat)
    }

    @Test func `what called for a hat is known still where a row spells it in capitals`() {
        var reading = Reading()
        let rows = [
            #""iteration":1,"hat":"Planner","topic":"build.task","triggered":"Builder""#,
            #""iteration":2,"hat":"Builder","topic":"note.x""#,
            #""iteration":2,"hat":"Builder","topic":"note.y""#,
        ]
        reading.engine(
            row(0, 0, "work.start", "p")
                + rows.map { #"{"ts":"2026-11-21T22:30:00Z","payload":"",\#($0)}"# + "\n" }.joined())
        #expect(reading.narrator.state.hat == "builder")
        #expect(reading.narrator.state.triggerEvent == "build.task")
    }

    @Test(arguments: [("check.it", "builder"), ("close.it", "closer")])
    func `what comes between two iterations is not what the first one said`(first: String, hat: String) throws
    {
        var reading = Reading(config: Self.silent)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, first) + row(2, 1, "iteration.summary"))
        reading.passTime()
        reading.engine(
            row(4, 2, "iteration.summary") + emitted(5, "human.note") + row(9, 3, "iteration.summary"))
        #expect(reading.narrator.state.iterations.first { $0.number == 3 }?.hat == hat)
    }

    @Test func `who is asked for behind a promise comes an iteration later`() throws {
        var reading = Reading(config: Self.silent)
        let word = #"{"payload":"x","source":"user","topic":"build.task","ts":"2026-11-21T03:00:05Z"}"# + "\n"
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, "LOOP_COMPLETE") + row(2, 1, "iteration.summary") + word
        )
        #expect(reading.narrator.state.iteration == 1)
        reading.passTime(40_000)
        // Ralph resumes; it reads its file again behind that iteration.
        #expect(reading.narrator.state.iteration == 2 && reading.narrator.state.hat == "planner")
        reading.engine(row(50, 2, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 3 && reading.narrator.state.hat == "builder")
    }

    @Test(arguments: [(100, "builder"), (900, "planner")])
    func `a person's row counts at once where Ralph looks for work`(_ after: Int, _ hat: String) throws {
        var reading = Reading(config: Self.silent)
        reading.engine(row(0, 0, "work.start", "p") + row(2, 1, "iteration.summary"))
        reading.engine(
            #"{"payload":"x","source":"user","topic":"build.task","ts":"2026-11-21T03:00:02.\#(after)Z"}"#
                + "\n")
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2 && reading.narrator.state.hat == hat)
    }

    @Test func `guidance behind a summary is what the next iteration has said`() throws {
        let config = """
            hats:
              alpha: {triggers: [task.start], publishes: [a.go], default_publishes: d.go}
              dora: {triggers: [d.go], publishes: [c.go], default_publishes: a.go}
              carl: {triggers: [a.go]}
            """
        var reading = Reading(config: config)
        reading.engine(
            row(0, 0, "task.start", "p") + row(2, 1, "iteration.summary")
                + #"{"payload":"x","source":"user","topic":"human.guidance","ts":"2026-11-21T03:00:03Z"}"#
                + "\n")
        reading.passTime()
        #expect(reading.narrator.state.hat == "dora")
        reading.engine(row(4, 2, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "ralph")
    }

    @Test func `what was cancelled is in no next iteration`() throws {
        var reading = Reading(
            config: "event_loop: {cancellation_promise: loop.cancel}\nhats: {x: {triggers: [y]}}")
        reading.engine(
            row(0, 0, "task.start", "p") + emitted(1, "loop.cancel") + emitted(1, "y")
                + row(2, 1, "iteration.summary"))
        reading.passTime(1_000_000)
        #expect(reading.narrator.state.iteration == 1)
    }

    @Test func `each hat that is called for is stored at once`() throws {
        var reading = Reading(config: Self.silent)
        reading.engine(row(0, 0, "work.start", "p") + emitted(1, "build.task"))
        let before = reading.narrator.state.revision
        reading.engine(emitted(2, "check.it"))
        #expect(reading.narrator.state.revision > before)
        let again = reading.narrator.state.revision
        reading.engine(emitted(3, "check.it"))
        #expect(reading.narrator.state.revision == again)
    }

    @Test func `that an iteration has said something is stored at once`() throws {
        var reading = Reading(config: Self.silent)
        reading.engine(row(0, 0, "work.start", "p") + row(2, 1, "iteration.summary"))
        reading.passTime()
        let before = reading.narrator.state.revision
        reading.engine(emitted(3, "human.note"))
        #expect(reading.narrator.state.revision > before)
    }

    /// What Ralph reads as malformed, or drops by its name (contract 2.4, 2.5).
    @Test(arguments: [
        #"{"topic":"build.task","payload":"x"}"#, #"{"ts":5,"topic":"build.task"}"#,
        #"{"ts":"2026-11-21T03:00:03Z","topic":"build.task"} junk"#,
        #"{"ts":"2026-11-21T03:00:03Z","topic":"build.task"}{"ts":"2026-11-21T03:00:03Z","topic":"build.task"}"#,
        #"{"ts":"2026-11-21T03:00:03Z","topic":5}"#, #"{"ts":"2026-11-21T03:00:03Z","payload":"x"}"#,
        #"{"ts":"2026-11-21T03:00:03Z","topic":"iteration.summary"}"#,
        #"{"topic":"human.interact","payload":"which?"}"#, #"{"topic":"build.done","payload":"tests: fail"}"#,
        #"{"ts":"2026-11-21T03:00:03Z","topic":"LOOP_COMPLETE"} x"#,
    ])
    func `a row that Ralph does not take for an event is told and does nothing`(_ line: String) throws {
        var reading = Reading(config: Self.silent)
        reading.engine(
            row(0, 0, "work.start", "p") + emitted(1, "build.task") + row(2, 1, "iteration.summary"))
        reading.passTime()
        let before = try reading.events(.engine).count
        reading.engine(line + "\n" + row(4, 2, "iteration.summary"))
        reading.passTime()
        let state = reading.narrator.state
        #expect(try reading.events(.engine).count > before + 1)
        #expect(state.iteration == 3 && state.hat == "planner")
        #expect(state.questions.isEmpty && state.backpressure == nil)
    }

    @Test(arguments: [
        (["plan.ready", "build.task"], "writer"), (["build.task"], "ralph"), (["odd.one"], "ralph"),
        (["LOOP_COMPLETE"], "ralph"), (["plan.ready", "LOOP_COMPLETE"], "writer"),
        (["human.interact"], "ralph"),
    ])
    func `with enforced scopes a hat is heard only with what it publishes`(topics: [String], hat: String)
        throws
    {
        var reading = Reading(
            config: """
                event_loop: {enforce_hat_scope: true}
                hats:
                  planner: {triggers: [task.start], publishes: ["plan.*"]}
                  builder: {triggers: [build.task], publishes: [LOOP_COMPLETE]}
                  writer: {triggers: [plan.ready], publishes: [odd.one]}
                """)
        reading.engine(
            row(0, 0, "task.start", "p") + topics.map { emitted(1, $0) }.joined()
                + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2 && reading.narrator.state.hat == hat)
        #expect(reading.narrator.state.questions.isEmpty)
    }

    private static let scoped = """
        event_loop: {enforce_hat_scope: true}
        hats:
          planner: {triggers: [task.start], publishes: [build.task], default_publishes: d.go}
          builder: {triggers: [build.task], publishes: [human.interact]}
          dora: {triggers: [d.go]}
        """

    @Test func `what is out of scope does not stand for what a hat publishes by default`() throws {
        var reading = Reading(config: Self.scoped)
        reading.engine(row(0, 0, "task.start", "p") + emitted(1, "odd.one") + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "dora")
    }

    @Test
    func `scopes are those of the hats at work where output is ahead of the rows, and of no run before`()
        throws
    {
        let output =
            #"{"type":"iteration_start","iteration":1,"hat":"planner","started_at":1795230000100}"# + "\n"
        var reading = Reading(config: Self.scoped)
        reading.engine(row(0, 0, "task.start", "p"))
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795230000000}"# + "\n"
                + output)
        reading.engine(emitted(1, "build.task"))
        reading.agent(
            output.replacing(#""iteration":1,"hat":"planner""#, with: #""iteration":2,"hat":"builder""#))
        // The output's hat may ask what those at work may not, which are taken behind the summary.
        reading.engine(emitted(2, "human.interact"))
        #expect(reading.narrator.state.questions.count == 1)
        reading.engine(row(2, 1, "iteration.summary") + emitted(3, "plan.it"))
        #expect(reading.narrator.state.memory.calledHats == nil)

        reading.engine(row(4, 2, "loop.terminate", "## Reason\\nstopped") + row(9, 0, "task.start", "p"))
        reading.engine(emitted(10, "build.task") + row(11, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.hat == "builder")
    }

    /// The line of a run's output that tells of an iteration's start.
    private func begun(_ iteration: Int, _ hat: String) -> String {
        #"{"type":"iteration_start","iteration":\#(iteration),"hat":"\#(hat)","started_at":1795230000100}"#
            + "\n"
    }

    /// A run whose output has told of its first iteration, the planner's, which then calls for the builder.
    private func planned() -> Reading {
        var reading = Reading(
            config: "hats: {planner: {triggers: [task.start]}, builder: {triggers: [build.task]}}")
        reading.engine(row(0, 0, "task.start", "p"))
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795230000000}"# + "\n"
                + begun(1, "planner"))
        reading.engine(emitted(1, "build.task"))
        return reading
    }

    private static let figures = #"{\"cost_usd\":0.5,\"input_tokens\":7,\"output_tokens\":3}"#

    @Test func `what is derived of rows that are ahead of the output has their hat`() throws {
        var reading = planned()
        reading.engine(
            row(2, 1, "iteration.summary", Self.figures) + emitted(3, "build.done")
                + row(4, 2, "iteration.summary", Self.figures)
                + row(5, 2, "loop.terminate", "## Reason\\nstopped"))

        for topic in ["build.done", "backpressure.failed", "assistant", "result"] {
            let event = try reading.last(topic)
            #expect(event["iteration"] as? Int == 2 && event["hat"] as? String == "builder", "\(topic)")
        }
        #expect(try reading.last("hat.changed")["hat"] as? String == "planner")
        reading.agent(begun(2, "builder"))
        #expect(try reading.last("hat.changed")["hat"] as? String == "builder")
    }

    @Test func `what a summary tells that is read behind the next start has the hat of its own iteration`()
        throws
    {
        var reading = planned()
        reading.agent(begun(2, "builder"))
        reading.engine(row(2, 1, "iteration.summary", Self.figures))

        let event = try reading.last("assistant")
        #expect(event["iteration"] as? Int == 1 && event["hat"] as? String == "planner")
        #expect(reading.narrator.state.hat == "builder")
    }

    @Test func `an iteration that did not come to be leaves no hat behind`() throws {
        var reading = planned()
        reading.engine(
            row(2, 1, "iteration.summary", Self.figures) + emitted(3, "build.task")
                + row(4, 1, "loop.terminate", "## Reason\\nstopped"))

        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.hat == "planner")
        #expect(try reading.last("result")["hat"] as? String == "planner")
    }

    @Test func `of two hats at work the first default counts, and both scopes`() throws {
        let config = """
            event_loop: {enforce_hat_scope: true}
            hats:
              alpha: {triggers: [a.go], publishes: [a.go, b.go]}
              beta: {triggers: [b.go], publishes: [c.go], default_publishes: d.go}
              carl: {triggers: [c.go]}
              dora: {triggers: [d.go]}
            """
        for (said, hat) in [([], "dora"), (["c.go"], "carl")] {
            var reading = Reading(config: config)
            reading.engine(
                row(0, 0, "task.begin", "p") + emitted(1, "a.go") + emitted(1, "b.go")
                    + row(2, 1, "iteration.summary"))
            reading.passTime()
            #expect(reading.narrator.state.hat == "alpha")
            reading.engine(said.map { emitted(3, $0) }.joined() + row(4, 2, "iteration.summary"))
            reading.passTime()
            #expect(reading.narrator.state.hat == hat)
        }
    }

    @Test func `of two hats that differ only in capitals the output may tell of either`() throws {
        let hats = """
            {Alpha: {triggers: [a.go]}, alpha: {triggers: [b.go], publishes: [c.go]},
             carl: {triggers: [task.start], publishes: [b.go]}, dora: {triggers: [c.go]}}
            """
        var reading = Reading(config: "event_loop: {enforce_hat_scope: true}\nhats: \(hats)")
        let begun = { (iteration: Int, hat: String) in
            #"{"type":"iteration_start","iteration":\#(iteration),"hat":"\#(hat)","started_at":1795230000100}"#
                + "\n"
        }
        reading.engine(row(0, 0, "task.start", "p"))
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795230000000}"# + "\n"
                + begun(1, "carl") + begun(2, "alpha"))
        reading.engine(emitted(1, "c.go"))
        #expect(reading.narrator.state.memory.nextHat == "dora")
    }
}
