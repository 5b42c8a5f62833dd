import RalphWire
import Testing

@testable import RalphSessions

/// Rows that name the hat of their iteration themselves (http-contract 3.2, 3.4, 15.3).
@Suite struct OwnHatTests {
    private static let config = """
        hats:
          builder: {triggers: [build.task], publishes: [build.done]}
          planner: {triggers: [task.start, task.resume], publishes: [build.task]}
        """

    private func row(_ second: Int64, _ iteration: Int, _ topic: String, _ hat: String = "loop") -> String {
        #"{"ts":"\#(time(second))","iteration":\#(iteration),"hat":"\#(hat)","topic":"\#(topic)","payload":"p"}"#
            + "\n"
    }

    private func typed(_ second: Int64, _ iteration: Int, _ hat: String) -> String {
        #"{"type":"iteration.started","iteration":\#(iteration),"hat":"\#(hat)","timestamp":"\#(time(second))"}"#
            + "\n"
    }

    private func time(_ second: Int64) -> String { Timestamp.text(1_795_230_000_000 + second * 1000) }

    /// What each `hat.changed` says, as `from>to`.
    private func changes(_ reading: Reading) throws -> [String] {
        try reading.events(.server).filter { $0["topic"] as? String == "hat.changed" }.map { event in
            let data = event["data"] as? [String: Any]
            return "\(data?["from"] as? String ?? "")>\(data?["to"] as? String ?? "")"
        }
    }

    @Test(arguments: [false, true])
    func `a hat that goes on is told once`(isAnnounced: Bool) throws {
        var reading = Reading()
        for number in 1...3 {
            let second = Int64(number)
            reading.engine(
                isAnnounced ? typed(second, number, "builder") : row(second, number, "a.x", "builder"))
        }

        #expect(try changes(reading) == [">builder"])
        #expect(reading.narrator.state.iterations.map(\.hat) == ["builder", "builder", "builder"])
        let starts = try reading.events().filter { $0["topic"] as? String == "iteration.started" }
        #expect(starts.map { $0["hat"] as? String } == ["builder", "builder", "builder"])
    }

    @Test(arguments: [false, true])
    func `another hat follows the one before`(isAnnounced: Bool) throws {
        var reading = Reading()
        for (number, hat) in [(1, "planner"), (2, "Builder"), (3, "planner")] {
            let second = Int64(number)
            reading.engine(isAnnounced ? typed(second, number, hat) : row(second, number, "a.x", hat))
        }

        #expect(try changes(reading) == [">planner", "planner>builder", "builder>planner"])
        #expect(reading.narrator.state.iterations.map(\.hat) == ["planner", "builder", "planner"])
        #expect(reading.narrator.state.hat == "planner")
    }

    @Test func `a change stands before the iteration that it is of`() throws {
        var reading = Reading()
        reading.engine(row(0, 1, "a.x", "planner") + row(1, 2, "a.x", "builder"))

        #expect(
            reading.topics() == [
                "hat.changed", "iteration.started", "a.x", "iteration.completed", "hat.changed",
                "iteration.started", "a.x",
            ])
        #expect(try reading.events().map { $0["iteration"] as? Int } == [1, 1, 1, 1, 2, 2, 2])
    }

    @Test(arguments: [false, true], [nil, "{}"])
    func `an iteration that began without a word on its hat gets it from its row`(
        isLate: Bool, config: String?
    ) throws {
        var reading = Reading(config: config)
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a.x", "planner"))
        reading.engine(row(2, 1, "iteration.summary"))
        if isLate { reading.passTime() }
        reading.engine(row(9, 2, "a.x", "planner") + row(10, 2, "iteration.summary"))
        if isLate { reading.passTime() }
        reading.engine(row(19, 3, "a.x", "builder"))

        // Without hats Ralph itself works until a row says another one.
        let first = config == nil ? [">planner"] : [">ralph", "ralph>planner"]
        #expect(try changes(reading) == first + ["planner>builder"])
        #expect(reading.narrator.state.iterations.map(\.hat) == ["planner", "planner", "builder"])
    }

    @Test func `rows that name no hat any more leave it open, and the next run is Ralph's own`() throws {
        var reading = Reading(config: "{}")
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a.x", "planner"))
        reading.engine(row(2, 2, "a.x") + row(3, 3, "a.x") + row(4, 4, "a.x"))
        #expect(try changes(reading) == [">ralph", "ralph>planner"])
        reading.engine(row(5, 4, "loop.terminate") + row(6, 0, "task.start") + row(7, 1, "a.x"))

        #expect(try changes(reading).last == ">ralph")
        #expect(reading.narrator.state.hat == "ralph")
    }

    @Test func `what called for the hat is still known`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "task.start") + row(1, 1, "build.task", "planner") + row(2, 2, "a.x", "builder"))

        #expect(reading.narrator.state.triggerEvent == "build.task")
        #expect(try reading.last("hat.changed")["triggered"] as? String == "build.task")
    }

    @Test func `with hats configured a row's own one counts more than what was called for`() throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a.x", "planner"))
        reading.engine(row(2, 2, "a.x", "builder") + row(3, 2, "build.task", "builder"))
        reading.engine(row(4, 3, "a.x", "planner"))

        #expect(try changes(reading) == [">planner", "planner>builder", "builder>planner"])
        #expect(reading.narrator.state.iterations.map(\.hat) == ["planner", "builder", "planner"])
        #expect(reading.narrator.state.triggerEvent == nil)
    }

    @Test(arguments: ["ralph", "loop", "operator"])
    func `one that is the orchestrator's or not configured counts for nothing`(hat: String) throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "task.start") + row(1, 1, "build.task", hat) + row(2, 2, "a.x", hat))

        #expect(try changes(reading) == [">planner", "planner>builder"])
        #expect(reading.narrator.state.iterations.map(\.hat) == ["planner", "builder"])
    }

    @Test(arguments: [false, true])
    func `a row's own hat counts, whether or not its iteration began before it`(isLate: Bool) throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "task.start") + row(1, 1, "build.task", "planner"))
        reading.engine(row(2, 1, "iteration.summary"))
        if isLate { reading.passTime() }
        reading.engine(row(9, 2, "a.x", "planner"))

        #expect(reading.narrator.state.hat == "planner")
        #expect(reading.narrator.state.iterations.map(\.hat) == ["planner", "planner"])
    }

    @Test(arguments: [
        ("Builder", "builder"), ("planner", "planner"), ("loop", "planner"), ("operator", "planner"),
    ])
    func `a verdict has the hat that its row names, if that is one`(named: String, hat: String) throws {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "task.start") + row(1, 1, "build.done", named))

        #expect(try reading.last("backpressure.failed")["hat"] as? String == hat)
    }

    @Test func `a late row of an iteration before, or behind the end, moves no hat`() throws {
        var reading = Reading()
        reading.engine(row(0, 0, "task.start") + row(1, 1, "a.x", "planner") + row(2, 2, "a.x", "builder"))
        reading.engine(row(3, 1, "a.x", "planner") + row(4, 2, "a.x", "builder"))

        #expect(try changes(reading) == [">planner", "planner>builder"])
        #expect(reading.narrator.state.hat == "builder")
    }

    @Test(arguments: ["loop", "builder"])
    func `what a row names gives it no right to publish`(hat: String) {
        var reading = Reading(
            config: """
                event_loop: {enforce_hat_scope: true}
                \(Self.config)
                  reviewer: {triggers: [built]}
                """.replacing("[build.done]", with: "[built]"))
        reading.engine(row(0, 0, "task.start") + row(1, 1, "built", hat) + row(2, 1, "iteration.summary"))
        reading.passTime()

        #expect(reading.narrator.state.iterations.last?.hat == "ralph")
    }
}
