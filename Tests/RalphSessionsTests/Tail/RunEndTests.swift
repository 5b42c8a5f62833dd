import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// The end of a run in a session whose output of an earlier run has told all: it comes behind the run's own output.
@Suite(.timeLimit(.minutes(1)))
struct RunEndTests {
    /// 2026-02-05T10:30:45Z.
    private static let start: Int64 = 1_770_287_445_000
    private static let order = ["loop.started", "agent.text", "loop.terminated", "session.completed"]

    private static func began(_ run: Int) -> Int64 { start + Int64(run) * 60_000 }

    private static func row(
        _ run: Int, _ milliseconds: Int64, _ iteration: Int, _ topic: String, _ payload: String
    ) -> String {
        let time = Timestamp.text(began(run) + milliseconds)
        return #"{"ts":"\#(time)","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    private static func startRow(_ run: Int) -> String { row(run, 0, 0, "task.start", "go") }

    private static func endRows(_ run: Int) -> String {
        row(run, 60, 1, "iteration.summary", "{}")
            + row(run, 61, 1, "loop.terminate", "## Reason\\ncompleted")
    }

    /// The lines of a run's own output.
    private static func output(_ run: Int) -> [String] {
        let time = began(run)
        return [
            #"{"type":"loop_started","prompt":"go","max_iterations":9,"started_at":\#(time)}"#,
            #"{"type":"iteration_start","iteration":1,"hat":"x","started_at":\#(time + 1)}"#,
            #"{"type":"text_delta","iteration":1,"delta":"Bye."}"#,
            #"{"type":"iteration_end","iteration":1,"duration_ms":50}"#,
            #"{"type":"loop_terminated","reason":"completed","terminated_at":\#(time + 62)}"#,
        ].map { $0 + "\n" }
    }

    /// A session with a run that is over, and with a second one that is over as well; of that its start was read, and `seen`
    /// lines of output.
    ///
    /// - Parameter isFound: whether its output is known; else `body` gets the facts that name it.
    private func withSecondRun(
        seen: Int = 0, isFound: Bool, _ body: (SessionScene, DiscoveredSession) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let first = try directory.write("runs/0/stdout.jsonl", Self.output(0).joined())
            let scene = try SessionScene(directory, agentOutput: [first])
            try scene.write(SessionScene.run1, Self.startRow(0) + Self.endRows(0))
            try scene.point(at: SessionScene.run1)
            #expect(scene.read(origin: .server).last == "session.completed")

            let lines = Self.output(1)
            let second = try directory.write("runs/1/stdout.jsonl", lines.prefix(seen).joined())
            let facts = DiscoveredSession(
                directory: scene.session.directory, agentOutput: [first, second])
            if isFound { scene.tail.session = facts }
            try scene.write(SessionScene.run2, Self.startRow(1))
            try scene.point(at: SessionScene.run2)
            scene.now += 1000
            scene.read()
            try scene.append(SessionScene.run2, Self.endRows(1))
            try directory.append("runs/1/stdout.jsonl", lines.dropFirst(seen).joined())
            try body(scene, facts)
        }
    }

    private func topics(_ scene: SessionScene, _ changed: Set<String>?) throws -> [String] {
        scene.read(changed: changed)
        return SessionScene.topics(try #require(scene.last).batch)
    }

    @Test(arguments: 0...2)
    func `it waits for output that is not due yet, whatever was read of that`(seen: Int) async throws {
        try await withSecondRun(seen: seen, isFound: true) { scene, _ in
            var told = try topics(scene, [SessionScene.run2, "stdout.jsonl"])
            #expect(told.contains("loop.terminate") && !told.contains("session.completed"))
            scene.now += 250
            told += try topics(scene, [])

            #expect(told.filter(Self.order.contains) == Array(Self.order.dropFirst(min(seen, 1))))
            #expect(told.last == "session.completed" && scene.tail.narrator.heldStop == nil)
        }
    }

    @Test func `it waits for output that is found behind it`() async throws {
        try await withSecondRun(isFound: false) { scene, facts in
            var told = try topics(scene, [SessionScene.run2])
            #expect(told.contains("loop.terminate") && !told.contains("session.completed"))
            scene.tail.session = facts
            scene.now += 250
            told += try topics(scene, nil)

            #expect(told.filter(Self.order.contains) == Self.order && told.last == "session.completed")
        }
    }

    @Test func `it is told after a second where no output tells it`() async throws {
        try await withSecondRun(isFound: false) { scene, _ in
            let told = try topics(scene, [SessionScene.run2])
            #expect(told.contains("loop.terminate") && !told.contains("session.completed"))
            let due = scene.now + SessionNarrator.outputDelay
            #expect(scene.last?.readAgainAt == due)

            let early = scene.tail.read(changed: [], budget: 1 << 20, now: due - 1)
            #expect(early.batch.isEmpty && early.readAgainAt == due)
            let late = scene.tail.read(changed: [], budget: 1 << 20, now: due)
            #expect(SessionScene.topics(late.batch) == ["session.completed"] && late.readAgainAt == nil)
            let over = scene.tail.read(changed: nil, budget: 1 << 20, now: due + 10_000)
            #expect(over.batch.isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `it waits for nothing once nobody writes any more`(isFound: Bool) async throws {
        try await withSecondRun(isFound: isFound) { scene, _ in
            _ = try topics(scene, [SessionScene.run2])
            let read = scene.tail.read(changed: nil, isLast: true, budget: 1 << 20, now: scene.now + 1)
            let told = SessionScene.topics(read.batch)
            let expected = isFound ? Self.order : ["session.completed"]
            #expect(told.filter(Self.order.contains) == expected && told.last == "session.completed")
        }
    }

    @Test func `one of long ago waits for no output that is still to be found`() async throws {
        try await withTemporaryDirectory { directory in
            let output = try directory.write("runs/0/stdout.jsonl", "")
            let scene = try SessionScene(directory, agentOutput: [output])
            scene.now = Self.start + 3_600_000
            try scene.write(SessionScene.run1, Self.startRow(0) + Self.endRows(0))
            try scene.point(at: SessionScene.run1)

            #expect(scene.read(origin: .server).last == "session.completed")
        }
    }

    /// Rows of two runs at once, the second of which goes on, and the output of both behind them.
    @Test func `output that is read behind the next run's start is that of the run before`() async throws {
        try await withTemporaryDirectory { directory in
            let output = try directory.write("rpc-stdout.jsonl", "")
            let scene = try SessionScene(directory, agentOutput: [output])
            scene.now = Self.began(0) + 3000
            // Within the time in which a start row and output tell of one run.
            let second = Self.startRow(1).replacing(
                Timestamp.text(Self.began(1)), with: Timestamp.text(Self.began(0) + 2000))
            try scene.write(SessionScene.run1, Self.startRow(0) + Self.endRows(0) + second)
            try scene.point(at: SessionScene.run1)
            try directory.append("rpc-stdout.jsonl", Self.output(0).joined())
            var told = try topics(scene, nil)
            scene.now += 250
            told += try topics(scene, nil)

            #expect(told.filter { $0 == "session.completed" }.count == 1)
            #expect(scene.tail.narrator.state.endReason == nil && scene.tail.narrator.state.runs == 2)

            let began = Self.began(0) + 2000
            try directory.append(
                "rpc-stdout.jsonl",
                #"{"type":"loop_started","prompt":"go","max_iterations":9,"started_at":\#(began)}"# + "\n"
                    + #"{"type":"loop_terminated","reason":"completed","terminated_at":\#(began + 99)}"#
                    + "\n")
            scene.now += 250
            #expect(try topics(scene, nil).last == "session.completed")
            #expect(scene.tail.narrator.state.endReason == "completed")
        }
    }

    @Test func `a start row behind the end that output told is the next run's`() async throws {
        try await withTemporaryDirectory { directory in
            let output = try directory.write("rpc-stdout.jsonl", Self.output(0).joined())
            let scene = try SessionScene(directory, agentOutput: [output])
            scene.now = Self.began(0) + 100
            #expect(try topics(scene, nil).last == "session.completed")
            let next = Self.startRow(1).replacing(
                Timestamp.text(Self.began(1)), with: Timestamp.text(Self.began(0) + 100))
            try scene.write(SessionScene.run1, next)
            try scene.point(at: SessionScene.run1)

            #expect(try topics(scene, nil).contains("session.started"))
            #expect(scene.tail.narrator.state.runs == 2 && scene.tail.narrator.state.endReason == nil)
        }
    }
}
