import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// Whether another iteration follows a summary, only what comes behind it tells.
@Suite(.timeLimit(.minutes(1)))
struct HeldStartTests {
    private static let run = SessionScene.run1

    private static func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "")
        -> String
    {
        #"{"ts":"2026-11-21T03:20:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    private static let summarised = row(10, 0, "task.start", "go") + row(11, 1, "iteration.summary")

    private func withScene(_ body: (SessionScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: Self.run)
            try scene.write(Self.run, Self.summarised)
            try body(scene)
        }
    }

    @Test(arguments: [false, true])
    func `an iteration starts when no row has come for a while`(isRestarted: Bool) async throws {
        try await withScene { scene in
            #expect(scene.read(origin: .server).filter { $0 == "iteration.started" }.count == 1)
            if isRestarted { scene.restart() }
            #expect(scene.read(origin: .server) == [])
            #expect(
                scene.last?.readAgainAt == scene.now + SessionNarrator.minimumStartDelay
                    - (isRestarted ? 0 : 10))

            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == ["iteration.started"])
            #expect(scene.last?.readAgainAt == nil && scene.last?.state.iteration == 2)
        }
    }

    @Test(arguments: ["max_runtime", "stopped", "consecutive_failures", "restart_requested"])
    func `an end that nothing announced follows no start`(reason: String) async throws {
        try await withScene { scene in
            scene.read()
            // However late the row is seen.
            scene.now += SessionNarrator.minimumStartDelay
            try scene.append(Self.run, Self.row(11, 1, "loop.terminate", "## Reason\\n" + reason))
            let told = scene.read(changed: [Self.run], origin: .server)

            #expect(told.count == 1 && scene.last?.readAgainAt == nil)
            #expect(scene.last?.state.iteration == 1 && scene.last?.state.endReason == reason)
        }
    }

    @Test func `a run that was killed before its next iteration is followed by no start of it`() async throws
    {
        try await withScene { scene in
            scene.read()
            try scene.append(Self.run, Self.row(20, 0, "task.resume"))

            let told = scene.read(changed: [Self.run], origin: .server)
            #expect(told == ["session.started", "iteration.started"] && scene.last?.state.iteration == 2)
        }
    }

    @Test func `a run that waits between its iterations may end that much later`() async throws {
        try await withScene { scene in
            try scene.directory.write("ralph.yml", "event_loop:\n  cooldown_delay_seconds: 5\n")
            scene.restart()
            scene.read()
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == [])
            scene.now += 5000
            #expect(scene.read(changed: [], origin: .server) == ["iteration.started"])
        }
    }

    @Test(arguments: [false, true])
    func `a run does not wait where a person has said something before`(isLate: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try directory.write("ralph.yml", "event_loop:\n  cooldown_delay_seconds: 5\n")
            let word = #"{"payload":"x","source":"user","topic":"human.guidance","ts":"2026-11-21T03:20:1"#
            let start = Self.row(10, 0, "task.start", "go")
            let said = #"{"payload":"x","topic":"a.b","ts":"2026-11-21T03:20:11Z"}"# + "\n"
            let summary = Self.row(12, 1, "iteration.summary")
            let rows = isLate ? said + summary + word + #"2Z"}"# + "\n" : word + #"1Z"}"# + "\n" + summary
            try scene.write(Self.run, start + rows)
            try scene.point(at: Self.run)
            scene.read()
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == (isLate ? [] : ["iteration.started"]))
            scene.now += 5000
            #expect(scene.read(changed: [], origin: .server) == (isLate ? ["iteration.started"] : []))

            // What came too late for the first summary is said before the second.
            try scene.append(Self.run, Self.row(20, 2, "iteration.summary"))
            scene.read(changed: [Self.run])
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == (isLate ? ["iteration.started"] : []))
        }
    }

    @Test func `a run that has gone beyond the limit of its configuration has another one`() async throws {
        try await withScene { scene in
            try scene.directory.write("ralph.yml", "event_loop:\n  max_iterations: 1\n")
            scene.restart()
            scene.read()
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == [])

            try scene.append(Self.run, Self.row(13, 2, "iteration.summary"))
            scene.read(changed: [Self.run])
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == ["iteration.started"])
            #expect(scene.last?.state.iteration == 3)
        }
    }

    @Test func `each start waits for itself`() async throws {
        try await withScene { scene in
            scene.read()
            scene.now += SessionNarrator.minimumStartDelay
            let next = SessionScene.run2
            try scene.write(next, Self.row(30, 0, "task.start") + Self.row(31, 1, "iteration.summary"))
            try scene.point(at: next)

            scene.read(changed: ["current-events", next])
            #expect(scene.last?.readAgainAt == scene.now + SessionNarrator.minimumStartDelay)
        }
    }

    @Test func `the next row lets the iteration before it start`() async throws {
        try await withScene { scene in
            scene.read()
            try scene.append(Self.run, TailLine.lines(1...1))
            scene.now += 10
            let read = scene.tail.read(changed: [Self.run], budget: 1 << 20, now: scene.now)

            #expect(SessionScene.topics(read.batch) == ["iteration.started", "n.1"])
            #expect(read.readAgainAt == nil)
        }
    }

    @Test(arguments: [
        ("pre.iteration.start", "2026-11-21T03:20:11.250Z", false),
        // What a run that was killed before this one left.
        ("pre.iteration.start", "2026-11-21T03:20:09.000Z", true),
        ("post.iteration.start", "2026-11-21T03:20:11.250Z", true),
    ])
    func `an iteration that a hook keeps back starts when the run goes on`(
        _ phase: String, _ since: String, _ isStarted: Bool
    ) async throws {
        let summarisedAt = Timestamp.parse("2026-11-21T03:20:11Z".utf8)
        try await withScene { scene in
            scene.now = 1_795_231_212_000
            scene.read()
            let state = ".ralph/" + SessionDirectory.suspendStateName
            try scene.directory.write(state, #"{"phase_event":"\#(phase)","suspended_at":"\#(since)"}"#)
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == (isStarted ? ["iteration.started"] : []))

            try scene.append(
                Self.run, #"{"payload":"x","source":"user","topic":"human.guidance","ts":"t"}"# + "\n")
            #expect(scene.read(changed: [Self.run], origin: .server) == [])
            let keptUntil = scene.now
            try scene.directory.remove(state)
            scene.now += 1000
            #expect(scene.read(changed: [], origin: .server) == (isStarted ? [] : ["iteration.started"]))
            let startedAt = scene.last?.state.iterations.last?.startedAt
            #expect(startedAt == (isStarted ? summarisedAt : keptUntil))
            #expect(scene.last?.readAgainAt == nil && scene.last?.state.iteration == 2)
        }
    }

    @Test(arguments: [
        ("api/robot-question.json", "{}"),
        ("telegram-state.json", #"{"pending_questions":{"main":{"asked_at":"2026-11-21T03:20:11.250Z"}}}"#),
    ])
    func `an iteration that waits for a person starts when it is answered or given up`(
        _ name: String, _ text: String
    ) async throws {
        try await withScene { scene in
            scene.read()
            try scene.directory.write(".ralph/" + name, text)
            // What others tell the run meanwhile says nothing of it either.
            try scene.append(
                Self.run, #"{"payload":"x","topic":"human.guidance","ts":"2026-11-21T03:20:12Z"}"# + "\n")
            scene.now += 1_000_000
            #expect(scene.read(changed: [Self.run], origin: .server) == [])
            #expect(scene.last?.state.iteration == 1 && scene.last?.readAgainAt == scene.now + 1000)

            try scene.directory.remove(".ralph/" + name)
            scene.now += 1000
            #expect(scene.read(changed: [], origin: .server) == ["iteration.started"])
        }
    }

    @Test func `a question that a run before left holds nothing`() async throws {
        try await withScene { scene in
            scene.read()
            let question = try scene.directory.write(".ralph/api/robot-question.json", "{}")
            let before = Date(timeIntervalSince1970: 1_795_231_200)
            try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: question)
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(changed: [], origin: .server) == ["iteration.started"])
        }
    }

    @Test func `a clock that is set back holds a start no longer`() async throws {
        try await withScene { scene in
            scene.read()
            scene.now -= 3_600_000
            scene.read()
            #expect(scene.last?.readAgainAt == scene.now + SessionNarrator.minimumStartDelay)
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(origin: .server) == ["iteration.started"])
        }
    }

    @Test func `a request that is withdrawn lets the iteration start`() async throws {
        try await withScene { scene in
            scene.read()
            _ = scene.tail.note([.requested(.pause, at: scene.now)], now: scene.now)
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(origin: .server) == [] && scene.last?.readAgainAt == nil)

            let read = scene.tail.note([.withdrawn(.pause)], now: scene.now)
            #expect(read.readAgainAt == scene.now + SessionNarrator.minimumStartDelay)
            scene.read()
            scene.now += SessionNarrator.minimumStartDelay
            #expect(scene.read(origin: .server) == ["iteration.started"])
        }
    }
}
