import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// Iterations are stored beside the state, and only when they change.
@Suite struct StoredIterationsTests {
    private static let run = SessionScene.run1

    private static func row(_ second: Int, _ iteration: Int, _ topic: String, _ payload: String = "x")
        -> String
    {
        #"{"ts":"2026-11-21T03:20:\#(second)Z","iteration":\#(iteration),"hat":"loop","topic":"\#(topic)","#
            + #""payload":"\#(payload)"}"# + "\n"
    }

    private static func triggering(_ hat: String) -> String {
        #"{"topic":"a.b","triggered":"\#(hat)","payload":"x","ts":"2026-11-21T03:20:45Z"}"# + "\n"
    }

    private func withScene(_ rows: String, _ body: (SessionScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: Self.run)
            try scene.write(Self.run, Self.row(36, 0, "task.start", "go") + rows)
            scene.read()
            try body(scene)
        }
    }

    @Test func `iterations are stored when they change, and nothing else stores them`() async throws {
        try await withScene(Self.row(40, 1, "iteration.summary") + Self.triggering("planner")) { scene in
            let stored = try #require(scene.last?.checkpoints[SavedTail.iterationsKey])
            #expect([IterationRecord](stored: stored)?.map(\.number) == [1, 2])

            try scene.append(Self.run, Self.triggering("builder"))
            scene.read()
            #expect(scene.last?.stateChanged == true)
            #expect(scene.last?.checkpoints[SavedTail.iterationsKey] == nil)

            try scene.append(Self.run, Self.row(50, 2, "iteration.summary") + Self.triggering("tester"))
            scene.read()
            #expect(scene.last?.checkpoints[SavedTail.iterationsKey] != nil)
        }
    }

    @Test(arguments: [false, true])
    func `a restart has them again, also those that were stored in the state`(_ isOld: Bool) async throws {
        let rows = (1...3).map { Self.row(36 + $0, $0, "iteration.summary") }.joined()
        try await withScene(rows) { scene in
            let state = try #require(scene.saved?.state)
            let bytes = isOld ? try Array(JSONEncoder().encode(state)) : try state.encodedWithoutIterations()
            scene.saved?.state = try JSONDecoder().decode(SessionState.self, from: Data(bytes))
            if isOld { scene.saved?.checkpoints[SavedTail.iterationsKey] = nil }

            scene.restart()
            scene.read()

            #expect(scene.last?.state.iterations.map(\.number).prefix(3) == [1, 2, 3])
            #expect(scene.last?.state.iterations == state.iterations)
            #expect((scene.last?.checkpoints[SavedTail.iterationsKey] != nil) == isOld)
        }
    }

    @Test func `what was stored is read as it was, and anything else is not read`() throws {
        let records = [
            IterationRecord(run: 0, number: 1, hat: "", startedAt: nil),
            IterationRecord(run: 1, number: 2, hat: "écrivain", startedAt: 0, durationMilliseconds: nil),
            IterationRecord(run: 2, number: .max, hat: "x", startedAt: nil, durationMilliseconds: -5),
            IterationRecord(run: 3, number: 4, hat: "planner", startedAt: .max, durationMilliseconds: 7),
        ]
        let stored = records.stored
        #expect([IterationRecord](stored: stored) == records)
        #expect([IterationRecord](stored: [IterationRecord]().stored) == [])
        #expect([IterationRecord](stored: Array(try JSONEncoder().encode(records))) == records)

        let whole = (0..<records.count).map { Array(records.prefix($0)).stored.count }
        for count in 0..<stored.count where !whole.contains(count) {
            #expect([IterationRecord](stored: Array(stored.prefix(count))) == nil, "\(count) bytes")
        }
        #expect([IterationRecord](stored: [2] + stored.dropFirst()) == nil)
        #expect([IterationRecord](stored: [1] + [UInt8](repeating: 0xFF, count: 60)) == nil)
        #expect([IterationRecord](stored: [1] + [UInt8](repeating: 3, count: 60)) == nil)
        #expect([IterationRecord](stored: Array("[{".utf8)) == nil)
    }
}
