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

    @Test func `a clock that jumps back does not stop the reading`() async throws {
        try await withScene { scene in
            _ = scene.tail.read(changed: nil, budget: 1 << 20, now: 1_000_000)
            try scene.directory.append("rpc-stdout.jsonl", Self.line(3))

            let read = scene.tail.read(changed: ["rpc-stdout.jsonl"], budget: 1 << 20, now: 5)
            #expect(read.batch.items.contains { $0.origin == .agent })
        }
    }
}
