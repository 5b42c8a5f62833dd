import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Events files beside the one that runs write to.
@Suite(.timeLimit(.minutes(1)))
struct OlderFileTests {
    private let run1 = SessionScene.run1
    private let run2 = SessionScene.run2
    private let run3 = SessionScene.run3

    private func withScene(
        limits: TailLimits = TailLimits(), _ body: (SessionScene) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...9))
            try scene.point(at: run1)
            #expect(scene.read() == TailLine.topics(1...9))
            try body(scene)
        }
    }

    @Test(arguments: ["events-old.jsonl", "events-backup.jsonl", "events-20260101.jsonl"])
    func `what was put aside is not told, and makes no run old`(name: String) async throws {
        try await withScene { scene in
            #expect(rename(scene.path(run1), scene.path(name)) == 0)
            try scene.write(run2, TailLine.lines(10...10))
            try scene.point(at: run2)
            #expect(scene.read(changed: ["current-events", run1, run2, name]) == ["n.10"])

            scene.restart()
            try scene.write(run3, TailLine.lines(11...11))
            let run4 = "events-20260101-000004.jsonl"
            try scene.write(run4, TailLine.lines(12...12))
            try scene.point(at: run4)
            #expect(scene.read() == ["n.11", "n.12"])
        }
    }

    @Test func `a run that came and went before the pointer was read is told, and first`() async throws {
        try await withScene { scene in
            try scene.write(run2, TailLine.lines(10...12))
            try scene.write(run3, TailLine.lines(13...14))
            try scene.point(at: run3)

            // Told of when it pointed to the run between.
            #expect(scene.read(changed: ["current-events"]) == TailLine.topics(10...14))
            #expect(scene.read(changed: [run2, run3, "current-events"]) == [])
        }
    }

    /// - Parameter size: what it has when it is met, in lines.
    @Test(arguments: [false, true], [0, 2])
    func `what a run writes to an older file that came later is told, and what is copied is not`(
        isRestarted: Bool, size: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run2, TailLine.lines(1...1))
            try scene.point(at: run2)
            #expect(scene.read() == ["n.1"])

            try scene.write(run1, TailLine.lines(10..<10 + size))
            #expect(scene.read(changed: [run1]) == [])
            try scene.append(run1, TailLine.lines(20...22))
            #expect(scene.read(changed: [run1]) == [])
            if isRestarted { scene.restart() }
            try scene.append(run1, TailLine.lines(23...23) + TailLine.textOfNow(30) + "\n")
            #expect(scene.read() == ["n.30"])

            scene.restart()
            #expect(scene.read() == [])
            try scene.append(run1, TailLine.lines(31...31))
            #expect(scene.read(changed: [run1]) == ["n.31"])
        }
    }

    @Test func `one that came before the pointer to it was read is told whole, though it grew meanwhile`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run2, TailLine.lines(1...1))
            try scene.point(at: run2)
            #expect(scene.read() == ["n.1"])

            try scene.write(run1, TailLine.textOfNow(10) + "\n")
            #expect(scene.read(changed: [run1]) == [])
            try scene.append(run1, TailLine.textOfNow(11) + "\n")
            try scene.point(at: run1)
            #expect(scene.read(changed: ["current-events", run1]) == TailLine.topics(10...11))
        }
    }

    @Test(arguments: [false, true])
    func `a file that was empty at first sight is told when it gets lines`(isRestarted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            scene.limits.firstSightLines = 1
            try scene.write(run1, "")
            try scene.write(run2, TailLine.lines(1...1))
            try scene.point(at: run2)
            scene.restart()
            #expect(scene.read() == ["n.1"])
            if isRestarted { scene.restart() }
            try scene.append(run1, TailLine.textOfNow(30) + "\n")
            #expect(scene.read() == ["n.30"])
        }
    }

    @Test func `what an older file had before it is told lies before its first sight`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run2, TailLine.lines(1...1))
            try scene.point(at: run2)
            scene.read()
            try scene.write(run1, TailLine.lines(10...12))
            scene.read()
            try scene.append(run1, TailLine.textOfNow(30) + "\n")
            #expect(scene.read() == ["n.30"])
            let sizes = TailPosition.firstSizes(in: scene.saved?.checkpoints ?? [:])
            #expect(sizes[run1] == Int64(TailLine.lines(10...12).utf8.count))
        }
    }

    @Test(arguments: [false, true])
    func `what older files got while nobody told of it is told`(isRestarted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 2
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...3))
            try scene.write(run2, TailLine.lines(4...6))
            try scene.point(at: run2)
            #expect(scene.read() == TailLine.topics(5...6))

            try scene.append(run1, TailLine.lines(7...7))
            if isRestarted { scene.restart() }
            #expect(scene.read() == ["n.7"])
            #expect(link(scene.path(run2), scene.path("events-old.jsonl")) == 0)
            try scene.append(run2, TailLine.lines(8...8))
            #expect(scene.read() == ["n.8"] && scene.read() == [])
        }
    }
}
