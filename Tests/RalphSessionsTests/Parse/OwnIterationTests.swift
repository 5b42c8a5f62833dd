import RalphWire
import Testing

@testable import RalphSessions

/// Iterations that rows tell of by their own number, without a summary (http-contract 3.4, 15.3).
@Suite struct OwnIterationTests {
    private static let start: Int64 = 1_795_230_000_000

    private func row(_ second: Int64, _ iteration: Int, _ topic: String, _ hat: String = "loop") -> String {
        let time = Timestamp.text(Self.start + second * 1000)
        return
            #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"\#(hat)","topic":"\#(topic)","payload":"p"}"#
            + "\n"
    }

    private func typed(_ second: Int64, _ type: String, _ iteration: Int, _ hat: String = "builder") -> String
    {
        let time = Timestamp.text(Self.start + second * 1000)
        return #"{"type":"\#(type)","iteration":\#(iteration),"hat":"\#(hat)","timestamp":"\#(time)"}"# + "\n"
    }

    @Test func `without summaries an iteration ends where the next one begins`() {
        var reading = Reading()
        reading.engine(
            row(0, 0, "task.start") + row(10, 1, "build.task") + row(30, 2, "build.task", "builder"))
        reading.engine(row(70, 3, "review.task"))
        let state = reading.narrator.state

        #expect(state.iteration == 3 && state.completedIteration == 2)
        #expect(state.iterations.map(\.number) == [1, 2, 3])
        #expect(state.iterations.map(\.durationMilliseconds) == [30_000, 40_000, nil])
        #expect(
            reading.topics() == [
                "task.start", "session.started", "iteration.started", "build.task", "iteration.completed",
                "hat.changed", "iteration.started", "build.task", "iteration.completed", "iteration.started",
                "review.task",
            ])
        #expect(reading.narrator.takeFigures(now: Self.start).total.iterations == 2)
    }

    @Test func `a row is of the iteration that it begins`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(10, 2, "build.task", "builder"))
        let topics = reading.topics()

        #expect(topics.lastIndex(of: "iteration.started") ?? 99 < topics.firstIndex(of: "build.task") ?? 0)
        #expect(try reading.last("build.task")["iteration"] as? Int == 2)
        #expect(try reading.last("hat.changed")["iteration"] as? Int == 2)
    }

    @Test func `a row counts whatever its topic is`() {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(10, 2, "build.done", "builder"))
        #expect(reading.narrator.state.iteration == 2)
        reading.engine(row(20, 3, "human.interact", "builder"))
        #expect(reading.narrator.state.iteration == 3)
    }

    @Test func `how long an iteration took that was seen from its middle is not told`() throws {
        var reading = Reading()
        reading.engine(row(0, 7, "build.task") + row(10, 8, "build.task"))

        #expect(reading.narrator.state.iterations.map(\.durationMilliseconds) == [nil, nil])
        #expect((try reading.last("iteration.completed")["data"] as? [String: Any])?["duration_ms"] == nil)
    }

    @Test func `an iteration that the file begins with was seen whole`() {
        var reading = Reading()
        reading.engine(row(0, 1, "a.x", "builder") + row(2, 2, "a.x", "builder"))
        reading.engine(row(7, 3, "a.x", "builder"))

        #expect(reading.narrator.state.iterations.map(\.durationMilliseconds) == [2000, 5000, nil])
    }

    @Test func `the row of a run's end counts as well`() {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a") + row(9, 7, "loop.terminate"))

        #expect(reading.narrator.state.iteration == 7)
    }

    @Test(arguments: [1, 3, 12, 4_294_967_296])
    func `a number in a row without a hat moves nothing`(number: Int) throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "iteration.summary"))
        for topic in ["note", "human.interact", "build.done"] {
            reading.engine(
                #"{"payload":"x","topic":"\#(topic)","ts":"2026-11-20T21:00:02Z","iteration":\#(number)}"#
                    + "\n")
            #expect(try reading.last(topic)["iteration"] as? Int == number)
        }
        #expect(reading.narrator.state.iteration == 2 && reading.narrator.state.completedIteration == 1)
        #expect(reading.narrator.state.questions.map(\.iteration) == [2])
        #expect(reading.narrator.state.backpressure?.iteration == 2)
    }

    @Test func `a number beyond what Ralph can count moves nothing`() {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 4_294_967_296, "a", "builder"))
        #expect(reading.narrator.state.iteration == 1)
    }

    @Test func `a number beyond it in a run's output counts as none`() {
        let huge = 4_294_967_296
        var reading = Reading()
        reading.agent(
            """
            {"type":"loop_started","prompt":"p","max_iterations":\(huge),"started_at":\(Self.start)}
            {"type":"iteration_start","iteration":1,"hat":"loop","started_at":\(Self.start + 1)}
            {"type":"iteration_start","iteration":\(huge),"hat":"loop","started_at":\(Self.start + 2)}
            {"type":"iteration_end","iteration":\(huge),"duration_ms":1}

            """)
        reading.passTime()
        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.completedIteration <= 1)
        #expect(reading.narrator.state.maxIterations == nil)

        reading.agent(
            #"{"type":"loop_terminated","reason":"completed","total_iterations":\#(huge),"terminated_at":\#(Self.start + 9)}"#
                + "\n")
        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.endReason == "completed")
    }

    @Test func `the greatest number that Ralph can count is one`() {
        var reading = Reading()
        reading.agent(
            #"{"type":"iteration_start","iteration":4294967295,"hat":"loop","started_at":\#(Self.start)}"#
                + "\n")
        #expect(reading.narrator.state.iteration == 4_294_967_295)
    }

    @Test(arguments: [3, 12])
    func `a summary takes back what a row claimed`(claimed: Int) throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "iteration.summary"))
        reading.engine(row(2, claimed, "a", "builder"))
        #expect(reading.narrator.state.iteration == claimed)
        reading.engine(row(3, 2, "iteration.summary"))
        reading.passTime()

        let state = reading.narrator.state
        #expect(state.iteration == 3 && state.completedIteration == 2)
        #expect(state.iterations.map(\.number) == [1, 2, 3])
        #expect(try reading.last("iteration.started")["iteration"] as? Int == 3)
        reading.engine(row(4, 3, "iteration.summary"))
        #expect(try reading.last("iteration.completed")["iteration"] as? Int == 3)
    }

    @Test func `the row of a run's end takes it back, too`() {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a") + row(2, 40, "b", "builder"))
        reading.engine(row(3, 2, "loop.terminate"))

        let state = reading.narrator.state
        #expect(state.iteration == 2 && state.iterations.map(\.number) == [1])
    }

    @Test func `rows that announce iterations are their events`() {
        var reading = Reading()
        reading.engine(typed(0, "iteration.started", 1) + typed(20, "iteration.completed", 1))
        reading.engine(typed(21, "iteration.started", 2, "reviewer"))
        let state = reading.narrator.state

        #expect(state.iteration == 2 && state.hat == "reviewer" && state.firstEventAt == Self.start)
        #expect(state.iterations.map(\.hat) == ["builder", "reviewer"])
        #expect(state.iterations.map(\.startedAt) == [Self.start, Self.start + 21_000])
        #expect(state.iterations.map(\.durationMilliseconds) == [20_000, nil])
        #expect(reading.topics(.server).filter { $0.hasPrefix("iteration.") }.isEmpty)
    }

    @Test(arguments: ["iteration.started", "iteration.completed"], [1, 7])
    func `a topic of hats that is called so is an event and no more`(topic: String, number: Int) throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a"))
        reading.engine(
            #"{"topic":"\#(topic)","ts":"\#(Timestamp.text(Self.start + 2000))","iteration":\#(number)}"#
                + "\n" + row(3, 1, topic, "builder"))
        #expect(reading.narrator.state.iteration == 1 && reading.narrator.state.completedIteration == 0)

        reading.engine(
            #"{"ts":"\#(Timestamp.text(Self.start + 9000))","iteration":1,"hat":"loop","#
                + #""topic":"iteration.summary","payload":"{\"duration_ms\":8000,\"output_tokens\":7}"}"#
                + "\n")
        let end = try reading.last("iteration.completed")
        #expect(end["source"] as? String == "server" && end["iteration"] as? Int == 1)
        #expect((end["data"] as? [String: Any])?["output_tokens"] as? Int == 7)
        #expect(reading.narrator.state.iterations.first?.durationMilliseconds == 8000)
        #expect(reading.topics(.server).filter { $0 == "iteration.completed" }.count == 1)
    }

    @Test func `a type says it whatever the topic is`() {
        var reading = Reading()
        for (second, name) in [(0, "iteration.started"), (20, "iteration.completed")] {
            let time = Timestamp.text(Self.start + Int64(second) * 1000)
            reading.engine(
                #"{"id":"e\#(second)","type":"\#(name)","ts":"\#(time)","topic":"\#(name)","hat":"builder","#
                    + #""iteration":1}"# + "\n")
        }
        #expect(reading.narrator.state.iterations.map(\.durationMilliseconds) == [20_000])
        #expect(reading.narrator.state.completedIteration == 1)
    }

    @Test func `a start without an end has no duration`() {
        var reading = Reading()
        reading.engine(typed(0, "iteration.started", 1) + typed(21, "iteration.started", 2))

        #expect(reading.narrator.state.iterations.map(\.durationMilliseconds) == [nil, nil])
    }

    @Test(arguments: [0, -1, 999_999_999_999_999_999])
    func `whatever number an announcement has is survived`(number: Int) {
        var reading = Reading()
        reading.engine(typed(0, "iteration.started", number) + typed(1, "iteration.completed", number))
        reading.engine(row(2, number, "a") + row(3, number, "iteration.summary") + row(4, 1, "b"))

        #expect(reading.topics().last == "b")
    }

    @Test func `an event is at most a minute newer than its file`() {
        var reading = Reading()
        reading.engine(#"{"topic":"a","ts":"9999-12-31T00:00:00Z"}"# + "\n")
        #expect(reading.narrator.state.lastEventAt == Reading.fileTime)

        let soon = Timestamp.text(Reading.fileTime + 59_000)
        reading.engine(#"{"topic":"a","ts":"\#(soon)"}"# + "\n")
        #expect(reading.narrator.state.lastEventAt == Reading.fileTime + 59_000)
    }

    @Test func `what an output tells is at most a minute newer than its file`() {
        var reading = Reading()
        reading.agent(
            #"{"type":"iteration_start","iteration":1,"hat":"a","started_at":253402300799999}"# + "\n")
        #expect(reading.narrator.state.lastEventAt == Reading.fileTime)

        // Held in turns, so that each counts.
        for number in 1...50 {
            reading.agent(
                #"{"type":"iteration_end","iteration":\#(number % 2 + 1),"duration_ms":100000000000}"# + "\n")
        }
        #expect(reading.narrator.state.memory.agentTime == Reading.fileTime)
    }

    @Test func `whatever durations and tokens rows tell, sums stay sums`() {
        var reading = Reading()
        reading.narrator.beginSigns()
        for number in 1...200 {
            let payload =
                #"{\"duration_ms\":999999999999999999,\"output_tokens\":999999999999999999,\"input_tokens\":999999999999999999}"#
            reading.engine(
                #"{"ts":"1969-12-31T23:59:00.001Z","iteration":\#(number),"hat":"loop","topic":"iteration.summary","payload":"\#(payload)"}"#
                    + "\n")
        }
        let durations = reading.narrator.state.iterations.compactMap(\.durationMilliseconds)

        #expect(durations.count == 200 && durations.allSatisfy { $0 == 100_000_000_000 })
        #expect(reading.narrator.state.signs?.tokensPerMinute(now: 0) == 0)
    }
}
