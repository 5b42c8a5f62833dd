import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// Agents that work at once, behind the summary of the iteration that asked for them (contract 2.2).
@Suite struct WaveNarrationTests {
    private static let config = """
        event_loop: {cooldown_delay_seconds: 2}
        hats:
          closer: {triggers: [review.done]}
          planner: {triggers: [task.start, task.resume], default_publishes: note.made}
          reviewer: {triggers: [review.file], publishes: [review.done], concurrency: 3}
          watcher: {triggers: [note.made]}
        """

    private func time(_ second: Int) -> String { Timestamp.text(1_795_230_000_000 + Int64(second) * 1000) }

    /// A row of the orchestrator; the second counts from the hour.
    private func row(_ second: Int, _ iteration: Int, _ topic: String) -> String {
        #"{"ts":"\#(time(second))","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"p"}"#
            + "\n"
    }

    private func asked(_ second: Int, _ index: Int = 0) -> String {
        #"{"payload":"a.rs","topic":"review.file","ts":"\#(time(second))","wave_id":"w-1","#
            + #""wave_index":\#(index),"wave_total":2}"# + "\n"
    }

    private func result(_ second: Int, _ index: Int = 0, topic: String = "review.done") -> String {
        #"{"payload":"fine","topic":"\#(topic)","ts":"\#(time(second))","wave_id":"w-1","wave_index":\#(index)}"#
            + "\n"
    }

    private func said(_ second: Int, _ topic: String) -> String {
        #"{"payload":"x","source":"user","topic":"\#(topic)","ts":"\#(time(second))"}"# + "\n"
    }

    /// An iteration of the planner that asked for a wave and is over.
    private func begun() -> Reading {
        var reading = Reading(config: Self.config)
        reading.engine(
            row(0, 0, "task.start") + asked(1) + asked(1, 1) + row(2, 1, "iteration.summary"))
        return reading
    }

    @Test func `the next iteration waits for the results of the wave, and is of who takes them`() throws {
        var reading = begun()
        reading.passTime(300_000)
        #expect(reading.narrator.state.iteration == 1)
        #expect(reading.narrator.state.hat == "planner")

        reading.engine(result(60) + result(60, 1))
        #expect(reading.narrator.state.iteration == 1)
        #expect(reading.narrator.startDelay == 2400)
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.hat == "closer")
        let start = try #require(reading.narrator.state.iterations.last?.startedAt)
        #expect(Timestamp.text(start) == time(60))
        let results = try reading.events(.engine).filter { $0["topic"] as? String == "review.done" }
        #expect(results.compactMap { $0["iteration"] as? Int } == [1, 1])
    }

    @Test func `what a wave asks for calls for no hat, and nothing is published in its place`() throws {
        var reading = begun()
        // Of a wave whose agents say nothing, nothing comes.
        reading.engine(row(90, 2, "iteration.summary"))
        let iterations = reading.narrator.state.iterations
        #expect(iterations.first { $0.number == 2 }?.hat == "planner")
    }

    @Test(arguments: [(2, 332_400), (4, 632_400)])
    func `a wave of which nothing comes is waited for as long as Ralph lets it work`(
        total: Int, longest: Int64
    ) {
        var reading = Reading(config: Self.config)
        let row = asked(1).replacingOccurrences(of: #""wave_total":2"#, with: #""wave_total":\#(total)"#)
        reading.engine(self.row(0, 0, "task.start") + row + self.row(2, 1, "iteration.summary"))
        reading.passTime(longest - 1)
        #expect(reading.narrator.state.iteration == 1)
        reading.passTime(longest)
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.hat == "planner")
        let start = reading.narrator.state.iterations.last?.startedAt
        #expect(start.map(Timestamp.text) == time(2 + Int(longest - 2400) / 1000))
        // What comes then is none of that wave's.
        reading.engine(said(700, "note.made"))
        #expect(reading.narrator.state.memory.workingHats == ["planner"])
    }

    @Test func `what an agent says behind a wave of which nothing came is of its own iteration`() {
        var reading = begun()
        let asked = said(40, "human.interact").replacingOccurrences(of: #""source":"user","#, with: "")
        reading.engine(asked + row(90, 2, "iteration.summary"))
        #expect(reading.narrator.state.questions.first?.iteration == 2)

        var late = begun()
        late.engine(row(900, 2, "iteration.summary"))
        let start = late.narrator.state.iterations.last { $0.number == 2 }?.startedAt
        #expect(start.map(Timestamp.text) == time(332))
    }

    @Test func `results that call for the wave's own hat call for none, and begin nothing`() throws {
        var reading = Reading(
            config: Self.config.replacingOccurrences(of: "review.file]", with: "review.*]")
                .replacingOccurrences(of: "closer", with: "synthesizer"))
        reading.engine(
            row(0, 0, "task.start") + asked(1) + row(2, 1, "iteration.summary") + result(60) + result(60, 1))
        #expect(reading.narrator.state.iteration == 1)
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.iterations.last.map { $0.startedAt.map(Timestamp.text) } == time(60))
        reading.engine(row(70, 2, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 3)
        #expect(reading.narrator.state.hat == "watcher")
    }

    @Test func `rows of a wave that nobody runs are the next iteration's, read at once or later`() {
        var reading = begun()
        reading.engine(
            result(60)
                + #"{"payload":"x","topic":"note.made","ts":"\#(time(63))","wave_id":"w-2","#
                + #""wave_index":0,"wave_total":1}"# + "\n")
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.memory.workingHats == ["closer"])
    }

    @Test func `a promise beside a wave stands, whatever the results say`() {
        var reading = Reading(config: Self.config)
        let promise = #"{"payload":"","topic":"LOOP_COMPLETE","ts":"\#(time(1))"}"# + "\n"
        reading.engine(
            row(0, 0, "task.start") + asked(1) + promise + row(2, 1, "iteration.summary") + result(60))
        reading.passTime(30_000)
        #expect(reading.narrator.state.iteration == 1)
    }

    @Test func `a result dated ahead of its file moves no start there`() {
        var reading = begun()
        reading.engine(result(900_000_000))
        #expect(reading.narrator.state.memory.heldStartAt == reading.fileTime)
    }

    @Test func `rows that ask for a wave begin the next iteration like any other`() {
        var reading = begun()
        reading.engine(result(60))
        reading.passTime()
        reading.engine(row(70, 2, "iteration.summary") + asked(73))
        #expect(reading.narrator.state.iteration == 3)
        reading.engine(row(80, 3, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 3)
    }

    @Test func `what a person says while a wave works is read with its results`() {
        var reading = begun()
        let answer = said(32, "human.response").replacingOccurrences(of: #""source":"user","#, with: "")
        reading.engine(said(30, "human.guidance") + said(31, "note.made") + answer)
        reading.passTime()
        #expect(reading.narrator.state.iteration == 1)
        reading.engine(result(60))
        #expect(reading.narrator.startDelay == 400)
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.memory.laterRows == nil)
        #expect(reading.narrator.state.memory.workingHats == ["watcher", "closer"])
    }

    @Test func `a result that promises the end keeps the next iteration back as long as any promise`() {
        var reading = begun()
        reading.engine(result(60, topic: "LOOP_COMPLETE"))
        reading.passTime(30_000)
        #expect(reading.narrator.state.iteration == 1)
        var believed = reading
        believed.engine(row(62, 1, "loop.terminate"))
        #expect(believed.narrator.state.runEndedAt != nil)
        #expect(believed.narrator.state.iteration == 1)
        reading.passTime(40_000)
        #expect(reading.narrator.state.hat == "planner")
        #expect(reading.narrator.state.triggerEvent == "task.resume")
    }

    @Test func `where the output tells of iterations, the results are of the one that it tells next`() {
        var reading = Reading(config: Self.config)
        reading.engine(row(0, 0, "task.start"))
        reading.agent(output(1, second: 0))
        reading.engine(asked(1) + row(2, 1, "iteration.summary") + result(60) + result(60, 1))
        #expect(reading.narrator.state.iteration == 1)
        reading.agent(output(2, second: 61))
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.memory.workingHats == ["closer"])
    }

    private func output(_ iteration: Int, second: Int) -> String {
        let hat = iteration == 1 ? "planner" : "closer"
        let time = 1_795_230_000_000 + second * 1000
        return #"{"type":"iteration_start","iteration":\#(iteration),"hat":"\#(hat)","started_at":\#(time)}"#
            + "\n"
    }

    @Test func `without a hat that works several times at once a row of a wave is one like any other`() {
        var reading = Reading(config: Self.config.replacingOccurrences(of: ", concurrency: 3", with: ""))
        reading.engine(row(0, 0, "task.start") + asked(1) + row(2, 1, "iteration.summary"))
        reading.passTime()
        #expect(reading.narrator.state.iteration == 2)
        #expect(reading.narrator.state.hat == "reviewer")
    }
}
