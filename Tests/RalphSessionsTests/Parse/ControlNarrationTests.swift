import RalphWire
import Testing

@testable import RalphSessions

struct ControlNarrationTests {
    /// 2026-11-21T03:20:36Z.
    private static let start: Int64 = 1_795_231_236_000

    private static func startRow(_ second: Int = 36) -> String {
        row(second, #""iteration":0,"hat":"loop","topic":"task.start","payload":"go""#)
    }

    private static func endRow(_ reason: String, _ second: Int = 50) -> String {
        let payload = "## Reason\\n" + reason
        return row(
            second, #""iteration":1,"hat":"loop","topic":"loop.terminate","payload":"\#(payload)""#)
    }

    private static func row(_ second: Int, _ members: String) -> String {
        #"{"ts":"2026-11-21T03:20:\#(second).000Z",\#(members)}"# + "\n"
    }

    /// The topics of `server` events about the session itself.
    private static func sessionTopics(_ reading: Reading) -> [String] {
        reading.topics(.server).filter { $0.hasPrefix("session.") }
    }

    private static func data(_ reading: Reading, _ topic: String) throws -> [String: Any] {
        try reading.last(topic)["data"] as? [String: Any] ?? [:]
    }

    @Test(arguments: [false, true])
    func `an answer begins no iteration while a pause holds that`(isPausing: Bool) throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        if isPausing { reading.note(.requested(.pause, at: Self.start + 4000)) }
        reading.engine(
            Self.row(41, #""iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}""#)
                + Self.row(42, #""topic":"human.response","payload":"yes""#))

        #expect(reading.narrator.state.iteration == (isPausing ? 1 : 2))
        #expect(try reading.last("human.response")["iteration"] as? Int == (isPausing ? 1 : 2))
    }

    @Test(arguments: [
        ("stopped", "session.paused"), ("interrupted", "session.paused"), ("completed", "session.completed"),
        ("cancelled", "session.stopped"),
    ])
    func `a pause that was asked for makes a stopped run a paused one`(reason: String, topic: String) throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.requested(.pause, at: Self.start + 4000))
        reading.engine(Self.endRow(reason))

        #expect(Self.sessionTopics(reading) == ["session.started", topic])
        let data = try Self.data(reading, topic)
        let isPaused = topic == "session.paused"
        #expect(data["reason"] as? String == reason)
        #expect(data["means"] as? String == (isPaused ? "ended" : nil))
        #expect(data["requested_at"] as? String == (isPaused ? "2026-11-21T03:20:40.000Z" : nil))
        #expect(data["effective_at"] as? String == (isPaused ? "2026-11-21T03:20:50.000Z" : nil))
        #expect(reading.narrator.state.pauseRequestedAt == nil)
    }

    @Test func `a pause by the end of its agent does not come by the stop file`() {
        for (reason, topic) in [("stopped", "session.stopped"), ("interrupted", "session.paused")] {
            var reading = Reading()
            reading.engine(Self.startRow())
            reading.note(.requested(.pauseNow, at: Self.start + 4000))
            reading.engine(Self.endRow(reason))
            #expect(Self.sessionTopics(reading) == ["session.started", topic])
        }
    }

    @Test(arguments: [ControlNote.Request.pause, .pauseNow, .stop])
    func `a request that is told twice is one`(request: ControlNote.Request) {
        var readings: [Reading] = []
        for times in 1...2 {
            var reading = Reading()
            reading.engine(Self.startRow())
            for _ in 0..<times { reading.note(.requested(request, at: Self.start + 4000)) }
            reading.engine(Self.endRow("interrupted"))
            reading.narrator.releaseStop(into: &reading.batch)
            readings.append(reading)
        }
        #expect(Self.sessionTopics(readings[0]) == Self.sessionTopics(readings[1]))
        #expect(Self.sessionTopics(readings[0]).count == 2)
        #expect(readings[1].narrator.state.pauseRequestedAt == nil)
    }

    @Test(arguments: [ControlNote.Request.pause, .stop])
    func `no iteration begins behind the one that a request lets end`(request: ControlNote.Request) {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.requested(request, at: Self.start + 2000))
        reading.engine(
            Self.row(45, #""iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}""#))
        reading.passTime()
        reading.engine(Self.endRow("stopped"))

        #expect(reading.topics(.server).filter { $0 == "iteration.started" }.count == 1)
        #expect(reading.narrator.state.iteration == 1)
    }

    @Test func `a run that is dated ahead of a clock set back can be found dead`() throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.ended(reason: "interrupted", at: Self.start - 3_600_000))
        #expect(Self.sessionTopics(reading) == ["session.started", "session.stopped"])

        reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.ended(reason: "interrupted", at: Self.start - 1))
        #expect(Self.sessionTopics(reading) == ["session.started"])
    }

    @Test(arguments: ["stopped", "completed", "max_iterations"])
    func `a stop that was asked for is told by whatever end comes`(reason: String) throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.requested(.pause, at: Self.start + 2000))
        reading.note(.requested(.stop, at: Self.start + 4000))
        reading.engine(Self.endRow(reason))
        // Its output may still have something to say.
        #expect(
            Self.sessionTopics(reading) == ["session.started"] && reading.narrator.state.endReason == reason)
        reading.narrator.releaseStop(into: &reading.batch)

        let topic = reason == "stopped" ? "session.stopped" : "session.completed"
        #expect(Self.sessionTopics(reading) == ["session.started", topic])
        let data = try Self.data(reading, topic)
        #expect(data["requested_at"] as? String == "2026-11-21T03:20:40.000Z")
        #expect(data["effective_at"] as? String == "2026-11-21T03:20:50.000Z")
    }

    @Test func `the next run finds no stop that is still to be told`() {
        var reading = Reading()
        reading.engine(Self.startRow(30))
        reading.note(.requested(.stop, at: Self.start - 2000))
        reading.engine(Self.endRow("stopped", 36) + Self.startRow(40))

        #expect(Self.sessionTopics(reading) == ["session.started", "session.stopped", "session.started"])
        #expect(reading.narrator.heldStop == nil && reading.narrator.state.stopRequestedAt == nil)
    }

    @Test func `a request that came to nothing is not told`() throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        for request in [ControlNote.Request.pause, .stop] {
            reading.note(.requested(request, at: Self.start))
            reading.note(.withdrawn(request))
        }
        reading.engine(Self.endRow("stopped"))

        #expect(Self.sessionTopics(reading) == ["session.started", "session.stopped"])
        #expect(try Self.data(reading, "session.stopped").keys.sorted() == ["reason"])
    }

    @Test func `a request that came after the end is not its reason`() throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.requested(.stop, at: Self.start + 60_000))
        reading.engine(Self.endRow("completed"))

        #expect(try Self.data(reading, "session.completed").keys.sorted() == ["reason"])
    }

    @Test func `the run that a resume asked for is followed by its event`() throws {
        var reading = Reading()
        reading.engine(Self.startRow() + Self.endRow("stopped", 40))
        reading.note(.requested(.resume, at: Self.start + 9000))
        reading.engine(Self.startRow(46) + Self.endRow("completed") + Self.startRow(52))

        #expect(
            Self.sessionTopics(reading) == [
                "session.started", "session.stopped", "session.started", "session.resumed",
                "session.completed", "session.started",
            ])
        let data = try Self.data(reading, "session.resumed")
        #expect(data["requested_at"] as? String == "2026-11-21T03:20:45.000Z")
        #expect(data["effective_at"] as? String == "2026-11-21T03:20:46.000Z")
    }

    @Test func `a resumed run that its output tells of first goes on counting`() throws {
        let summary = Self.row(38, #""iteration":1,"hat":"loop","topic":"iteration.summary","payload":"{}""#)
        var reading = Reading()
        reading.engine(Self.startRow() + summary + Self.endRow("stopped", 40))
        reading.note(.requested(.resume, at: Self.start + 9000))
        reading.agent(#"{"type":"loop_started","prompt":"go","started_at":\#(Self.start + 10_000)}"#)
        reading.engine(Self.startRow(46))

        #expect(Self.sessionTopics(reading).suffix(2) == ["session.started", "session.resumed"])
        #expect(try Self.data(reading, "session.started")["reason"] as? String == "continued")
        #expect(reading.narrator.state.completedIteration == 1)
    }

    /// Runs of less than two seconds, told by files and outputs of their own, in either order.
    @Test(arguments: [[0, 1, 2, 3], [1, 0, 3, 2], [0, 1, 3, 2], [1, 0, 2, 3]])
    func `runs that follow each other within seconds are all told`(_ order: [Int]) throws {
        var reading = Reading()
        let files = ["events-20261121-032036.jsonl", "events-20261121-032038.jsonl"]
        for step in order {
            let run = step / 2
            if step % 2 == 0 {
                reading.engine(Self.startRow(36 + 2 * run), file: files[run])
            } else {
                let start = Self.start + Int64(2000 * run)
                reading.agent(
                    #"{"type":"loop_started","prompt":"go","started_at":\#(start)}"# + "\n"
                        + #"{"type":"iteration_start","iteration":1,"hat":"x","started_at":\#(start + 1)}"#,
                    file: "agent:\(run).jsonl")
            }
            guard step == order[1] else { continue }
            reading.engine(Self.endRow("completed", 37), file: files[0])
        }
        reading.agent(#"{"type":"loop_terminated","reason":"stopped"}"#, file: "agent:0.jsonl")

        #expect(
            Self.sessionTopics(reading) == ["session.started", "session.completed", "session.started"])
        #expect(reading.narrator.state.runs == 2)
        #expect(reading.narrator.state.runEndedAt == nil)
    }

    @Test func `a stop during a start outlives the start row`() throws {
        var reading = Reading()
        reading.note(.requested(.pause, at: Self.start - 5))
        reading.note(.requested(.stop, at: Self.start + 5))
        reading.engine(Self.startRow())

        #expect(reading.narrator.state.pauseRequestedAt == nil)
        #expect(reading.narrator.state.stopRequestedAt == Self.start + 5)
    }

    @Test func `a run that was found dead ends once, whatever its file says later`() throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.ended(reason: "killed", at: Self.start + 5000))
        reading.engine(Self.endRow("stopped"))
        reading.note(.ended(reason: "killed", at: Self.start + 20_000))

        #expect(Self.sessionTopics(reading) == ["session.started", "session.stopped"])
        #expect(try Self.data(reading, "session.stopped")["reason"] as? String == "killed")
        #expect(reading.narrator.state.runEndedAt == Self.start + 5000)
    }

    @Test func `the end of a run does not end the one that began meanwhile`() throws {
        var reading = Reading()
        reading.engine(Self.startRow())
        reading.note(.ended(reason: "killed", at: Self.start - 1))

        #expect(reading.narrator.state.runEndedAt == nil)
    }

    @Test(arguments: [
        (#"{"a": 1,  "b": {"c": "d"}}"#, #"{"a":1,"b":{"c":"d"}}"#), (" {}\n", "{}"),
        ("{\n \"a\": \"\u{2028}\"\n}", #"{"a":"\u2028"}"#), ("no JSON", "no JSON"),
    ])
    func `an event's payload becomes one line`(payload: String, wanted: String) throws {
        var reading = Reading()
        reading.note(.event(type: "session.paused", payload: payload, at: Self.start))

        let event = try reading.last("session.paused")
        #expect(event["type"] as? String == "session.paused" && event["source"] as? String == "server")
        #expect(event["ts"] as? String == "2026-11-21T03:20:36.000Z")
        #expect(event["payload"] as? String == wanted)
        #expect(!reading.batch.bytes.contains(10))
        #expect((event["data"] != nil) == wanted.hasPrefix("{"))
    }
}
