import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Events files under other names than those that they were read by.
@Suite(.timeLimit(.minutes(1)))
struct MovedFileTests {
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

    @Test(arguments: [false, true])
    func `a renamed file goes on where it was left`(isRestarted: Bool) async throws {
        try await withScene { scene in
            try scene.append(run1, TailLine.lines(10...10))
            #expect(rename(scene.path(run1), scene.path(run2)) == 0)
            try scene.point(at: run2)
            if isRestarted { scene.restart() }

            #expect(scene.read(changed: isRestarted ? nil : ["current-events", run1, run2]) == ["n.10"])
            #expect(scene.saved?.checkpoints[run1] == [] && scene.saved?.checkpoints[run2]?.isEmpty == false)
            try scene.append(run2, TailLine.lines(11...11))
            scene.saved?.checkpoints[run1] = nil
            scene.restart()
            #expect(scene.read() == ["n.11"] && scene.last?.state.runs == 0)
        }
    }

    @Test func `a second name of a file tells nothing again`() async throws {
        try await withScene { scene in
            #expect(link(scene.path(run1), scene.path(run2)) == 0)
            #expect(scene.read(changed: [run2]) == [])
            try scene.append(run1, TailLine.lines(10...10))
            #expect(scene.read(changed: [run1]) == ["n.10"])
            try scene.append(run2, TailLine.lines(11...11))
            #expect(scene.read(changed: [run2]) == ["n.11"])
            #expect(scene.read() == [])
        }
    }

    @Test func `a file that was moved, with a link in its place, goes on, and again when it is back`()
        async throws
    {
        try await withScene { scene in
            try scene.directory.write("data/x", "")
            let moved = scene.directory.path + "/data/" + run1
            #expect(rename(scene.path(run1), moved) == 0)
            #expect(symlink(moved, scene.path(run1)) == 0)
            #expect(scene.read() == [])
            try scene.append(run1, TailLine.lines(10...10))
            #expect(scene.read() == ["n.10"])
            #expect(unlink(scene.path(run1)) == 0 && rename(moved, scene.path(run1)) == 0)
            #expect(scene.read() == [])
            try scene.append(run1, TailLine.lines(11...11))
            #expect(scene.read(changed: [run1]) == ["n.11"])
        }
    }

    @Test func `another content under another name is told though the file's number is the same`()
        async throws
    {
        try await withScene { scene in
            try Data(TailLine.lines(20...40).utf8).write(
                to: URL(fileURLWithPath: scene.path(run1)), options: [])
            #expect(rename(scene.path(run1), scene.path(run2)) == 0)
            try scene.point(at: run2)

            #expect(scene.read() == TailLine.topics(20...40))
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
