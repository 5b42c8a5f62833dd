import RalphWire
import Testing

@testable import RalphSessions

/// Runs that do not come to their first iteration, and runs whose iterations are counted anew.
@Suite struct CountNarrationTests {
    private func row(
        _ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "", hat: String = "loop"
    ) -> String {
        let time = Timestamp.text(1_795_230_000_000 + Int64(second) * 1000)
        return #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"\#(hat)","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    private func summary(_ second: Int, _ iteration: Int) -> String {
        let figures = #"{\"duration_ms\":900,\"cost_usd\":1,\"input_tokens\":10,\"output_tokens\":10}"#
        return row(second, iteration, "iteration.summary", figures)
    }

    private func end(_ second: Int, _ iteration: Int, _ reason: String = "stopped") -> String {
        row(second, iteration, "loop.terminate", "## Reason\\n" + reason)
    }

    private func told(_ reading: Reading) throws -> [String] {
        try reading.events(.server).compactMap { event in
            guard let topic = event["topic"] as? String, topic.hasPrefix("iteration.") else { return nil }
            return "\(topic.dropFirst("iteration.".count)) \(event["iteration"] ?? "")"
        }
    }

    @Test func `a run may end before its first iteration`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "do it") + end(1, 0))

        let state = reading.narrator.state
        #expect(state.runs == 1 && state.prompt == "do it")
        #expect(state.endReason == "stopped" && state.runEndedAt == 1_795_230_001_000)
        #expect(state.iteration == 0 && state.iterations.isEmpty)
        #expect(reading.topics(.server) == ["session.started", "iteration.started", "session.stopped"])
    }

    @Test func `a continued run that is at its limit ends where it was`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + summary(1, 1) + summary(2, 2) + end(3, 2))
        reading.engine(row(10, 0, "task.resume", "p") + end(11, 2, "max_iterations"))

        let state = reading.narrator.state
        #expect(state.runs == 2 && state.iteration == 2 && state.endReason == "max_iterations")
        #expect(state.completedIteration == 2)
    }

    @Test func `a continued run that counts anew is told of by its own numbers`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + (1...3).map { summary($0, $0) }.joined() + end(4, 3))
        reading.engine(row(10, 0, "task.resume", "p"))
        #expect(reading.narrator.state.iteration == 4)

        reading.engine(summary(11, 1))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2)
        reading.engine(summary(12, 2) + end(13, 2, "completed"))

        let state = reading.narrator.state
        #expect(state.iteration == 2 && state.outputTokens == 50 && state.cost == 5)
        #expect(state.iterations.filter { $0.run == 2 }.map(\.number) == [1, 2])
        #expect(
            try told(reading).suffix(5) == [
                "started 4", "started 1", "completed 1", "started 2", "completed 2",
            ])
    }

    @Test func `rows of iterations tell it as well, and only the first one does`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + (1...3).map { summary($0, $0) }.joined() + end(4, 3))
        reading.engine(row(10, 0, "task.resume", "p") + row(11, 1, "build.task", "x", hat: "builder"))
        #expect(reading.narrator.state.iteration == 1)

        reading.engine(row(12, 2, "build.task", "y", hat: "builder") + row(13, 1, "late", hat: "builder"))
        #expect(reading.narrator.state.iteration == 2)
        #expect(try told(reading).suffix(4) == ["started 4", "started 1", "completed 1", "started 2"])
    }

    @Test func `a fresh run in the file of the one before begins anew`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + (1...3).map { summary($0, $0) }.joined() + end(4, 3))
        reading.engine(row(10, 0, "task.start", "q"))

        let state = reading.narrator.state
        #expect(state.runs == 2 && state.iteration == 1 && state.completedIteration == 0)
        #expect(state.cost == 0 && state.outputTokens == 0 && state.prompt == "q")
        let data = try reading.last("session.started")["data"] as? [String: Any]
        #expect(data?["reason"] as? String == "started")
        reading.engine(summary(11, 1))
        #expect(try told(reading).suffix(2) == ["started 1", "completed 1"])
    }

    @Test func `a run that says that it is continued is, whatever file it writes to`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + (1...3).map { summary($0, $0) }.joined() + end(4, 3))
        reading.engine(row(10, 0, "task.resume", "p"), file: "events-20260101-000000.jsonl")

        #expect(reading.narrator.state.iteration == 4 && reading.narrator.state.cost == 3)
    }

    @Test(arguments: [
        ("event_loop: {starting_event: task.start}", "task.start"),
        ("event_loop: {starting_event: work.start}", "work.start"),
        ("event_loop: {starting_event: task.resume}", "task.resume"),
    ])
    func `where the start row's topic is configured, the file tells which run is continued`(
        config: String, topic: String
    ) throws {
        var reading = Reading(config: config)
        reading.engine(row(0, 0, topic, "p") + summary(1, 1) + end(4, 1) + row(10, 0, topic, "p"))
        #expect(reading.narrator.state.iteration == 2)
        reading.engine(row(20, 0, topic, "p"), file: "events-20260101-000000.jsonl")
        #expect(reading.narrator.state.iteration == 1)
    }

    @Test func `output that counts anew tells it too`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start", "p") + (1...3).map { summary($0, $0) }.joined() + end(4, 3))
        reading.engine(row(10, 0, "task.resume", "p"))
        reading.agent(
            #"{"type":"loop_started","prompt":"p","max_iterations":9,"started_at":1795230010000}"# + "\n"
                + #"{"type":"iteration_start","iteration":1,"hat":"ralph","started_at":1795230010100}"# + "\n"
        )
        #expect(reading.narrator.state.iteration == 1)

        reading.engine(summary(12, 1))
        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.outputTokens == 40)
    }
}
