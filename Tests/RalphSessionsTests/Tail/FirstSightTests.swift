import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct FirstSightTests {
    private static func limits(lines: Int, readBytes: Int = 64) -> TailLimits {
        var limits = TailLimits()
        limits.firstSightLines = lines
        limits.readBytes = readBytes
        limits.maximumLineBytes = 200
        return limits
    }

    @Test(arguments: [1, 2, 7, 49, 50, 51], [16, 64, 100_000])
    func `a session begins with its newest lines`(lines: Int, readBytes: Int) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: lines, readBytes: readBytes))
            let blank = "\n \0\r\n"
            try scene.write(
                "events.jsonl", (1...50).map { TailLine.text($0) + "\n" + blank }.joined() + "{\"torn")

            #expect(scene.read() == TailLine.topics(max(1, 51 - lines)...50))
            scene.restart()
            #expect(scene.read() == [])
            try scene.append("events.jsonl", "\"}\n" + TailLine.lines(51...51))
            #expect(scene.read().last == "n.51")
        }
    }

    @Test func `the cost of a long run counts what was before its newest lines`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 2, readBytes: 4096))
            func summary(_ iteration: Int) -> String {
                #"{"ts":"2026-01-01T00:00:0\#(iteration)Z","iteration":\#(iteration),"hat":"loop","#
                    + #""topic":"iteration.summary","payload":"{\"cost_usd\":0.5}"}"# + "\n"
            }
            try scene.write("events.jsonl", (1...5).map(summary).joined())
            // Ralph writes it once an iteration's row is there: it may be an iteration behind.
            try directory.write(".ralph/api/loop-state.json", #"{"iteration":4,"total_cost_usd":2.25}"#)

            scene.read()
            #expect(scene.last?.state.cost == 2.75)
            scene.restart()
            try scene.append("events.jsonl", summary(6))
            scene.read()
            #expect(scene.last?.state.cost == 3.25)
        }
    }

    @Test func `the cost of a run that was continued within its newest lines is counted once`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 4, readBytes: 4096))
            func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String) -> String {
                #"{"ts":"2026-01-01T00:00:0\#(second)Z","iteration":\#(iteration),"hat":"loop","#
                    + #""topic":"\#(topic)","payload":"\#(payload)"}"# + "\n"
            }
            func summary(_ iteration: Int) -> String {
                row(iteration, iteration, "iteration.summary", #"{\"cost_usd\":0.5}"#)
            }
            try scene.write(
                "events.jsonl",
                (1...3).map(summary).joined() + row(3, 0, "task.resume", "p") + (4...5).map(summary).joined())
            try directory.write(".ralph/api/loop-state.json", #"{"iteration":5,"total_cost_usd":2.5}"#)

            scene.read()
            #expect(scene.last?.state.cost == 2.5 && scene.last?.state.runs == 1)
            try scene.append("events.jsonl", summary(6))
            scene.read()
            #expect(scene.last?.state.cost == 3)
        }
    }

    @Test(arguments: [(3, 8...10), (5, 6...10), (6, 5...10), (30, 1...10)])
    func `earlier runs are read when the newest has too few`(lines: Int, numbers: ClosedRange<Int>)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: lines))
            try scene.write(SessionScene.run1, TailLine.lines(1...3))
            try scene.write(SessionScene.run2, TailLine.lines(4...5))
            try scene.write(SessionScene.run3, TailLine.lines(6...10))
            try scene.point(at: SessionScene.run3)

            #expect(scene.read() == TailLine.topics(numbers))
            scene.restart()
            #expect(scene.read() == [])
        }
    }

    @Test func `what is newer by name than the current run is not taken for new`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 2))
            try scene.write(SessionScene.run1, TailLine.lines(1...3))
            try scene.write(SessionScene.run2, TailLine.lines(4...5))
            try scene.point(at: SessionScene.run1)

            #expect(scene.read() == TailLine.topics(2...3))
            scene.restart()
            #expect(scene.read() == [])
            try scene.append(SessionScene.run2, TailLine.lines(6...6))
            #expect(scene.read() == TailLine.topics(6...6))
        }
    }

    @Test func `an over-long line counts as one and is reported`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 3))
            let long = String(repeating: "x", count: 5000) + "\n"
            try scene.write("events.jsonl", TailLine.lines(1...3) + long + TailLine.lines(4...5))

            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            let topics = SessionScene.topics(read.batch)
            #expect(topics.first == "events.skipped" && topics.contains("n.5") && !topics.contains("n.3"))
        }
    }

    @Test func `no more than a bounded part of a file is looked through`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = Self.limits(lines: 1000, readBytes: 4096)
            limits.firstSightBytes = 20_000
            let scene = try SessionScene(directory, limits: limits)
            try scene.write("events.jsonl", TailLine.lines(1...5000))

            let topics = scene.read()
            #expect(topics.last == "n.5000" && (300..<600).contains(topics.count))
            #expect(topics == TailLine.topics((5001 - topics.count)...5000))
        }
    }

    @Test func `the first line of a file can be looked at`() async throws {
        try await withTemporaryDirectory { directory in
            let file = try directory.write("a.jsonl", TailLine.lines(1...3))

            #expect(try FirstSight.firstLine(of: file) == Array(TailLine.text(1).utf8))
        }
    }
}
