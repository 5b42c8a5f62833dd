import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// What is counted of lines, and for which day.
@Suite struct FigureNarrationTests {
    /// 2026-11-22T00:00:00Z, and the day that begins there.
    private static let midnight: Int64 = 1_795_305_600_000
    private static let day: Int64 = 20_779
    private static let now = midnight + 5 * 86_400_000

    /// Files that were written last behind all rows of these tests.
    private static var reading: Reading {
        var reading = Reading()
        reading.fileTime = now
        return reading
    }

    /// A row of the orchestrator, so many seconds from midnight.
    private func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "") -> String {
        let time = Timestamp.text(Self.midnight + Int64(second) * 1000)
        return
            #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","payload":"\#(payload)"}"#
            + "\n"
    }

    private func summary(_ second: Int, _ iteration: Int, input: Int = 0, output: Int = 0, cost: Double = 0)
        -> String
    {
        let figures =
            #"{\"duration_ms\":900,\"cost_usd\":\#(cost),\"input_tokens\":\#(input),\"output_tokens\":\#(output),"#
            + #"\"cache_read_tokens\":7,\"cache_write_tokens\":3}"#
        return row(second, iteration, "iteration.summary", figures)
    }

    private func end(_ second: Int, _ iteration: Int) -> String {
        row(second, iteration, "loop.terminate", "## Reason\\ncompleted")
    }

    @Test func `a run over midnight is shared between its days`() {
        var reading = Self.reading
        reading.engine(
            row(-100, 0, "task.start") + summary(-40, 1, input: 50, output: 5, cost: 0.1)
                + summary(30, 2, input: 20, output: 6, cost: 0.2) + end(60, 2))

        let figures = reading.narrator.takeFigures(now: Self.now)
        var before = Figures()
        (before.runs, before.iterations, before.runMilliseconds) = (1, 1, 100_000)
        (before.inputTokens, before.outputTokens, before.peakInputTokens) = (50, 5, 50)
        (before.cacheReadTokens, before.cacheWriteTokens, before.costNanodollars) = (7, 3, 100_000_000)
        var after = Figures()
        (after.iterations, after.runMilliseconds) = (1, 60_000)
        (after.inputTokens, after.outputTokens, after.peakInputTokens) = (20, 6, 20)
        (after.cacheReadTokens, after.cacheWriteTokens, after.costNanodollars) = (7, 3, 200_000_000)
        #expect(figures.days == [Self.day - 1: before, Self.day: after])
        #expect(reading.narrator.takeFigures(now: Self.now).isEmpty)
    }

    @Test(arguments: [("2099-01-01T00:00:00Z", 160_000), ("1970-01-01T00:00:00Z", 100_000)])
    func `a row whose clock was wrong does not keep the run's time from being counted`(
        time: String, milliseconds: Int64
    ) {
        var reading = Self.reading
        let wrong = #"{"ts":"\#(time)","iteration":%,"hat":"loop","topic":"@","payload":"{}"}"# + "\n"
        if time < "2000" {
            reading.engine(wrong.replacing("%", with: "0").replacing("@", with: "task.start"))
        } else {
            reading.engine(row(-100, 0, "task.start"))
            reading.engine(wrong.replacing("%", with: "1").replacing("@", with: "iteration.summary"))
        }
        reading.engine(summary(-40, 2) + summary(30, 3) + end(60, 3))

        #expect(reading.narrator.takeFigures(now: Self.now).total.runMilliseconds == milliseconds)
    }

    @Test func `a row that is dated ahead counts up to when its file was written`() {
        var reading = Self.reading
        reading.fileTime = Self.midnight + 60_000
        reading.engine(row(0, 0, "task.start") + summary(3600, 1, output: 5))
        reading.fileTime += 30_000
        reading.engine(summary(90, 2, output: 6))
        reading.fileTime += 30_000
        reading.engine(end(300 * 86_400, 2))

        let figures = reading.narrator.takeFigures(now: Self.now)
        #expect(figures.days.keys.sorted() == [Self.day])
        #expect(figures.total.runMilliseconds == 120_000 && figures.open == Figures())
        #expect(figures.total.outputTokens == 11 && figures.total.iterations == 2)
    }

    @Test func `the time of a file that was never set says nothing of its rows`() {
        var reading = Self.reading
        reading.fileTime = 0
        reading.engine(row(0, 0, "task.start") + summary(30, 1, output: 5) + end(60, 1))

        let figures = reading.narrator.takeFigures(now: Self.now)
        #expect(figures.days.keys.sorted() == [Self.day] && figures.total.runMilliseconds == 60_000)
    }

    @Test func `an iteration that used nothing but a cache is counted`() {
        var reading = Self.reading
        reading.engine(row(0, 0, "task.start") + summary(10, 1))

        let total = reading.narrator.takeFigures(now: Self.now).total
        #expect(total.cacheReadTokens == 7 && total.cacheWriteTokens == 3)
    }

    @Test func `a restart at any line neither loses nor doubles`() throws {
        let lines =
            row(-100, 0, "task.start") + summary(-40, 1, input: 50, output: 5)
            + #"{"topic":"build.done","payload":"x","ts":"2026-11-21T23:59:30Z"}"# + "\n"
            + summary(30, 2, output: 6) + row(40, 0, "task.start") + summary(50, 3, cost: 1) + end(60, 3)
        var whole = Self.reading
        whole.engine(lines)
        let expected = whole.narrator.takeFigures(now: Self.now)

        var reading = Self.reading
        var sum = FigureDays()
        for line in lines.split(separator: "\n") {
            reading.engine(line + "\n")
            for (day, figures) in reading.narrator.takeFigures(now: Self.now).days {
                sum.add(figures, day: day)
            }
            let stored = try JSONEncoder().encode(reading.narrator.state)
            reading.narrator = SessionNarrator(
                state: try JSONDecoder().decode(SessionState.self, from: stored), workspace: nil)
        }
        #expect(sum.sorted.map(\.figures) == expected.sorted.map(\.figures))
        #expect(sum.open == Figures() && expected.open == Figures())
        #expect(expected.total.gatesFailed == 1 && expected.total.runs == 2)
    }

    @Test func `what the events file and the output both tell counts once`() {
        var reading = Self.reading
        reading.engine(row(0, 0, "task.start"))
        reading.agent(
            """
            {"type":"loop_started","started_at":\(Self.midnight)}
            {"type":"iteration_start","iteration":1,"hat":"builder","started_at":\(Self.midnight)}
            {"type":"tool_call_start","tool_call_id":"a","tool_name":"Bash","input":{}}
            {"type":"tool_call_end","tool_call_id":"a","output":"ok","is_error":false,"duration_ms":3}
            {"type":"tool_call_start","tool_call_id":"b","tool_name":"Bash","input":{}}
            {"type":"iteration_end","iteration":1,"duration_ms":900,"cost_usd":0.5,"input_tokens":9,"output_tokens":4}
            {"type":"iteration_end","iteration":1,"duration_ms":900,"cost_usd":0.5,"input_tokens":9,"output_tokens":4}

            """)
        reading.engine(summary(10, 1, input: 9, output: 4, cost: 0.5))

        let total = reading.narrator.takeFigures(now: Self.now).total
        #expect(total.iterations == 1 && total.outputTokens == 4 && total.costNanodollars == 500_000_000)
        #expect(total.toolCalls == 2)
    }

    @Test func `a run that vanished has worked until its last event`() {
        var reading = Self.reading
        reading.engine(
            row(0, 0, "task.start")
                + #"{"topic":"note","payload":"x","ts":"2026-11-22T00:00:30Z"}"# + "\n"
                + row(3600, 0, "task.start"))

        let figures = reading.narrator.takeFigures(now: Self.now)
        #expect(figures.total.runMilliseconds == 30_000)
        #expect(figures.open.runMilliseconds == Self.midnight + 3_600_000)
    }

    @Test func `clocks that are wrong cannot make many days`() {
        var reading = Self.reading
        reading.engine(
            #"{"topic":"build.done","payload":"x","ts":"1971-01-01T00:00:00Z"}"# + "\n"
                + #"{"topic":"build.done","payload":"x","ts":"9999-01-01T00:00:00Z"}"# + "\n"
                + row(0, 0, "task.start") + end(1000 * 86_400, 1))

        let figures = reading.narrator.takeFigures(now: Self.now)
        #expect(figures.days.keys.sorted() == [FigureDays.firstDay, Self.day, Self.day + 5])
        #expect(figures.total.gatesFailed == 2 && figures.total.runMilliseconds == 0)
    }

    @Test func `ordinary lines add nothing that would have to be stored`() {
        var reading = Self.reading
        reading.engine(row(0, 0, "task.start"))
        _ = reading.narrator.takeFigures(now: Self.now)
        for second in 1...50 {
            reading.engine(
                #"{"topic":"note.\#(second)","payload":"x","ts":"2026-11-22T00:00:\#(second + 9)Z"}"#)
        }
        #expect(reading.narrator.takeFigures(now: Self.now).isEmpty)
    }

    @Test(arguments: Samples.eventsFiles) func `a recording adds up to what its raw file says`(path: String)
        throws
    {
        let text = try Samples.text(path)
        var reading = Self.reading
        reading.engine(text)
        let figures = reading.narrator.takeFigures(now: Self.now)

        let rows = text.split(separator: "\n").compactMap { try? decode(String($0)) }  // counts only
        func time(_ row: [String: Any]?) -> Int64 {
            Timestamp.parse(Array((row?["ts"] as? String ?? "").utf8)) ?? 0
        }
        let summaries = rows.filter { $0["topic"] as? String == "iteration.summary" }
        let start = rows.first { $0["iteration"] as? Int == 0 && $0["hat"] as? String == "loop" }
        let last = rows.first { $0["topic"] as? String == "loop.terminate" } ?? summaries.last
        #expect(figures.total.iterations == Int64(summaries.count))
        #expect(figures.total.runs == 1)
        #expect(figures.total.runMilliseconds == time(last) - time(start))
        #expect(figures.days.keys.filter { $0 != FigureDays.openDay } == [Self.day - 1])
    }

    @Test(arguments: Samples.outputFiles) func `a run's output adds up to what its raw file says`(
        path: String
    ) throws {
        let text = try Samples.text(path)
        var reading = Self.reading
        reading.agent(text)

        let rows = text.split(separator: "\n").compactMap { try? decode(String($0)) }  // counts only
        let ends = rows.filter { $0["type"] as? String == "iteration_end" }
        let total = reading.narrator.takeFigures(now: Self.now).total
        #expect(total.iterations == Int64(Set(ends.compactMap { $0["iteration"] as? Int }).count))
        #expect(total.outputTokens == ends.reduce(0) { $0 + Int64($1["output_tokens"] as? Int ?? 0) })
        #expect(total.toolCalls == Int64(rows.count { $0["type"] as? String == "tool_call_start" }))
    }
}
