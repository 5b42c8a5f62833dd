import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct AgentOutputTests {
    private static func line(_ number: Int) -> String {
        #"{"type":"wave_n.\#(number)"}"# + "\n"
    }

    private func withScene(_ body: (SessionScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let output = directory.path + "/rpc-stdout.jsonl"
            let scene = try SessionScene(directory, agentOutput: [output])
            try scene.point(at: SessionScene.run1)
            try scene.write(SessionScene.run1, TailLine.lines(1...1))
            try directory.write("rpc-stdout.jsonl", Self.line(1) + Self.line(2))
            try body(scene)
        }
    }

    @Test func `output of a run comes behind the events of the same read`() async throws {
        try await withScene { scene in
            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)

            #expect(
                read.batch.items.first { $0.origin == .engine }.map { read.batch.text($0.topic) } == "n.1")
            #expect(read.batch.items.last?.origin == .agent)
            #expect(read.checkpoints.keys.sorted() == ["agent:rpc-stdout.jsonl", SessionScene.run1])
        }
    }

    @Test(arguments: [false, true])
    func `output that was removed from outside of the workspace is let go`(isRestarted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let kept = try directory.write("runs/2/stdout.jsonl", Self.line(2))
            let removed = try directory.write("runs/1/stdout.jsonl", Self.line(1))
            let scene = try SessionScene(directory, workspace: "/w", agentOutput: [removed, kept])
            scene.read()
            let key = "agent:" + removed
            #expect(scene.saved?.checkpoints[key]?.isEmpty == false)

            try FileManager.default.removeItem(atPath: removed)
            let facts = DiscoveredSession(directory: scene.session.directory, agentOutput: [kept])
            if isRestarted { scene.restart() }
            scene.tail.session = facts
            scene.read()

            #expect(scene.saved?.checkpoints[key] == [])
            let checkpoints = scene.saved?.checkpoints ?? [:]
            let read = TailPosition.bytesRead(
                ofOutput: kept, of: scene.session.directory, in: checkpoints)
            #expect(read == Int64(Self.line(2).utf8.count))
            #expect(
                TailPosition.bytesRead(ofOutput: removed, of: scene.session.directory, in: checkpoints) == nil
            )
            #expect(scene.tail.sources[key] == nil && scene.tail.tails[key] == nil)
        }
    }

    @Test(arguments: [false, true])
    func `output that is removed right behind its last line is told to its end`(isMoved: Bool) async throws {
        try await withScene { scene in
            scene.read()
            try scene.directory.append("rpc-stdout.jsonl", Self.line(3))
            let path = scene.directory.path + "/rpc-stdout.jsonl"
            #expect((isMoved ? rename(path, path + ".1") : unlink(path)) == 0)
            let bare = DiscoveredSession(directory: scene.session.directory)
            scene.now += 1000
            scene.tail.session = bare
            #expect(scene.read(origin: .agent) == ["wave.n.3"])

            scene.now += 1000
            scene.tail.session = bare
            scene.read()
            #expect(scene.last?.batch.isEmpty == true)
            try scene.directory.write("rpc-stdout.jsonl", Self.line(4))
            scene.now += 1000
            scene.tail.session = scene.session
            #expect(scene.read(origin: .agent) == ["wave.n.4"])
        }
    }

    @Test(arguments: ["rpc-stdout.jsonl", "../rpc-stdout.jsonl"])
    func `output of a run is read four times a second at most`(name: String) async throws {
        try await withScene { scene in
            _ = scene.tail.read(changed: nil, budget: 1 << 20, now: 1000)
            try scene.directory.append("rpc-stdout.jsonl", Self.line(3))

            let early = scene.tail.read(changed: [name], budget: 1 << 20, now: 1100)
            #expect(early.batch.isEmpty && early.readAgainAt == 1250)
            let nothing = scene.tail.read(changed: [], budget: 1 << 20, now: 1249)
            #expect(nothing.batch.isEmpty && nothing.readAgainAt == 1250)
            let late = scene.tail.read(changed: [], budget: 1 << 20, now: 1250)
            #expect(late.batch.items.contains { $0.origin == .agent } && late.readAgainAt == nil)
        }
    }

    /// Gives the durations of the ends that a read told.
    private static func durations(_ read: SessionRead) -> [String] {
        read.batch.items.filter { read.batch.text($0.topic) == "iteration.completed" }
            .compactMap {
                read.batch.text($0.members).firstMatch(of: /"duration":(\d+)/).map { String($0.1) }
            }
    }

    @Test(arguments: [false, true])
    func `an end waits for another one, over a restart too`(isRestarted: Bool) async throws {
        try await withScene { scene in
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.beginning + HeldEndTests.first)
            scene.read()
            let held = try #require(scene.last)
            #expect(Self.durations(held) == [] && held.stateChanged)
            #expect(held.readAgainAt == scene.now + SessionNarrator.endDelay)

            if isRestarted { scene.restart() }
            scene.now += 500
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.second)
            scene.read()
            let told = try #require(scene.last)
            #expect(Self.durations(told) == ["900"] && told.readAgainAt == nil)
            scene.now += SessionNarrator.endDelay
            #expect(Self.durations(scene.tail.read(changed: nil, budget: 1 << 20, now: scene.now)) == [])
        }
    }

    @Test func `an end is told when no other one has come for a while`() async throws {
        try await withScene { scene in
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.beginning + HeldEndTests.first)
            scene.read()
            let seen = scene.now
            let early = scene.tail.read(
                changed: [], budget: 1 << 20, now: seen + SessionNarrator.endDelay - 1)
            #expect(Self.durations(early) == [] && early.readAgainAt == seen + SessionNarrator.endDelay)
            let late = scene.tail.read(changed: [], budget: 1 << 20, now: seen + SessionNarrator.endDelay)
            #expect(Self.durations(late) == ["400"] && late.readAgainAt == nil)
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.second)
            let over = scene.tail.read(changed: nil, budget: 1 << 20, now: seen + 10_000)
            #expect(over.batch.isEmpty && over.readAgainAt == nil)
        }
    }

    @Test func `an output is looked at once more before its end is told`() async throws {
        try await withScene { scene in
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.beginning + HeldEndTests.first)
            scene.read()
            try scene.directory.append("rpc-stdout.jsonl", HeldEndTests.second)
            let read = scene.tail.read(
                changed: [], budget: 1 << 20, now: scene.now + SessionNarrator.endDelay)
            #expect(Self.durations(read) == ["900"])
        }
    }

    @Test func `a clock that jumps back does not stop the reading`() async throws {
        try await withScene { scene in
            _ = scene.tail.read(changed: nil, budget: 1 << 20, now: 1_000_000)
            try scene.directory.append("rpc-stdout.jsonl", Self.line(3))

            let read = scene.tail.read(changed: ["rpc-stdout.jsonl"], budget: 1 << 20, now: 5)
            #expect(read.batch.items.contains { $0.origin == .agent })
        }
    }
}
