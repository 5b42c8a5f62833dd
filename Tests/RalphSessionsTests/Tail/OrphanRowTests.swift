import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// Rows that the agent of a killed run writes, which lives on without its ralph (contract 4.1).
@Suite(.timeLimit(.minutes(1)))
struct OrphanRowTests {
    private let run1 = SessionScene.run1
    private let run2 = SessionScene.run2
    private static let config = """
        event_loop: {starting_event: work.start, cancellation_promise: halt.now}
        hats:
          builder: {triggers: [build.task], publishes: [build.done]}
          planner: {triggers: [work.start, build.done], publishes: [build.task]}
        """

    private func loop(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "{}") -> String {
        #"{"ts":"2026-01-01T00:00:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    private func emitted(_ second: Int, _ topic: String, _ payload: String = "x") -> String {
        #"{"payload":"\#(payload)","topic":"\#(topic)","ts":"2026-01-01T00:00:\#(second)Z"}"# + "\n"
    }

    /// A session whose first run was killed in iteration 2, and whose second one is in its first iteration.
    private func withSecondRun(_ body: (SessionScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("ralph.yml", Self.config)
            let scene = try SessionScene(directory)
            try scene.write(run1, loop(10, 0, "work.start") + loop(11, 1, "iteration.summary"))
            try scene.point(at: run1)
            scene.read()
            try scene.write(run2, loop(20, 0, "work.start"))
            try scene.point(at: run2)
            scene.read()
            #expect(scene.last?.state.runs == 2 && scene.last?.state.iteration == 1)
            try body(scene)
        }
    }

    @Test(arguments: [false, true])
    func `they are events, and change nothing of the run that goes on`(isRestarted: Bool) async throws {
        try await withSecondRun { scene in
            let before = try #require(scene.last?.state)
            let rows =
                emitted(30, "human.interact", "drop it?") + emitted(31, "build.done", "tests: pass")
                + emitted(32, "build.task") + emitted(33, "halt.now") + loop(34, 2, "iteration.summary")
                + #"{"ts":"2026-01-01T00:00:35Z","iteration":7,"hat":"builder","topic":"a","payload":""}"#
                + "\n"
                + loop(36, 2, "loop.terminate", ###"## Reason\nstopped"###)
            if isRestarted { scene.restart() }
            if isRestarted { scene.read() }
            try scene.append(run1, rows)
            let topics = [
                "human.interact", "build.done", "build.task", "halt.now", "iteration.summary", "a",
                "loop.terminate",
            ]
            #expect(scene.read() == topics)

            var after = try #require(scene.last?.state)
            #expect(after.lastEventAt ?? 0 > before.lastEventAt ?? 0)
            #expect(after.questions.isEmpty && after.backpressure == nil && after.runEndedAt == nil)
            after.lastEventAt = before.lastEventAt
            after.engineEvents = before.engineEvents
            after.signs = before.signs
            #expect(after == before)
        }
    }

    @Test func `they call for no hat, and are of no iteration of the run that goes on`() async throws {
        try await withSecondRun { scene in
            try scene.append(run1, emitted(30, "build.task"))
            #expect(scene.read() == ["build.task"])
            let batch = try #require(scene.last?.batch)
            #expect(batch.contexts.map(\.iteration) == [0] && batch.contexts.map(\.hat) == [""])

            let evidence =
                "tests: pass, lint: pass, typecheck: pass, audit: pass, coverage: pass, complexity: 6, "
                + "duplication: pass"
            try scene.append(run2, emitted(40, "build.done", evidence) + loop(41, 1, "iteration.summary"))
            try scene.append(run2, emitted(42, "other"))
            scene.read()
            #expect(scene.last?.state.iteration == 2 && scene.last?.state.hat == "planner")
        }
    }

    @Test func `they do not say that the next iteration has begun`() async throws {
        try await withSecondRun { scene in
            try scene.append(run2, loop(40, 1, "iteration.summary"))
            scene.read()
            try scene.append(run1, emitted(41, "build.task"))
            scene.read()
            #expect(scene.last?.state.iteration == 1)
        }
    }

    @Test func `a row of the file that is pointed to counts, whichever file the run began in`() async throws {
        try await withSecondRun { scene in
            try scene.append(run1, emitted(30, "human.interact", "who?"))
            try scene.point(at: run1)
            scene.read()
            #expect(scene.last?.state.questions.map(\.text) == ["who?"])
        }
    }

    @Test func `a run whose file is made anew goes on`() async throws {
        try await withSecondRun { scene in
            try scene.write(run2, emitted(30, "human.interact", "a"))
            scene.read()
            try FileManager.default.removeItem(atPath: scene.path(run2))
            scene.read()
            try scene.write(run2, emitted(31, "human.interact", "b"))
            scene.read()
            #expect(scene.last?.state.questions.map(\.text) == ["a", "b"])
        }
    }
}
