import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// Files that were archive when their session was first seen, and are made anew, put back or gone on with.
@Suite(.timeLimit(.minutes(1)))
struct ArchivedFileTests {
    private let run1 = SessionScene.run1
    private let run2 = SessionScene.run2

    /// The first run is archive, the second one is pointed to.
    private func withScene(
        restarts: Bool = false, copyRest: Duration = .seconds(20), _ body: (SessionScene) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 1
            limits.copyRest = copyRest
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...5))
            try scene.write(run2, TailLine.lines(6...6))
            try scene.point(at: run2)
            #expect(scene.read() == TailLine.topics(6...6))
            if restarts { scene.restart() }
            try body(scene)
        }
    }

    private func remove(_ scene: SessionScene, _ names: String...) throws {
        for name in names { try scene.directory.remove(".ralph/" + name) }
    }

    @Test(arguments: [false, true], [false, true])
    func `one that is made anew is told from its first line`(restarts: Bool, isPointed: Bool) async throws {
        try await withScene(restarts: restarts) { scene in
            try remove(scene, run1)
            #expect(scene.read() == [])
            try scene.write(run1, TailLine.lines(11...11))
            if isPointed { try scene.point(at: run1) }
            #expect(scene.read() == (isPointed ? ["n.11"] : []))
            try scene.append(run1, TailLine.lines(12...19))
            #expect(scene.read() == TailLine.topics((isPointed ? 12 : 11)...19))
            scene.restart()
            #expect(scene.read() == [])
        }
    }

    @Test func `one with the same beginning and another end is told whole`() async throws {
        try await withScene { scene in
            try scene.write(run1, TailLine.lines(1...3) + TailLine.lines(11...14))
            #expect(scene.read(changed: [run1]) == TailLine.topics([1, 2, 3, 11, 12, 13, 14]))
        }
    }

    @Test(arguments: [false, true], [0, 30, TailLine.text(1).utf8.count + 1])
    func `one that is put back before the pointer is no run`(restarts: Bool, bytes: Int) async throws {
        try await withScene(restarts: restarts) { scene in
            try remove(scene, "current-events", run1, run2)
            #expect(scene.read() == [])
            if restarts { scene.restart() }
            let text = Array(TailLine.lines(1...5).utf8)
            try scene.write(run1, String(decoding: text.prefix(bytes), as: UTF8.self))
            #expect(scene.read() == [] && scene.last?.readAgainAt != nil)
            try scene.append(run1, String(decoding: text.dropFirst(bytes), as: UTF8.self))
            if bytes > 0 { #expect(scene.read() == []) }
            try scene.write(run2, TailLine.lines(6...6))
            try scene.point(at: run2)
            #expect(scene.read() == [] && scene.problems == [])

            try scene.append(run2, TailLine.lines(7...7))
            #expect(scene.read() == TailLine.topics(7...7))
            try scene.append(run1, TailLine.lines(8...8))
            #expect(scene.read() == TailLine.topics(8...8))
        }
    }

    @Test(arguments: [false, true])
    func `one that is put back behind the pointer is no run`(restarts: Bool) async throws {
        try await withScene { scene in
            try remove(scene, "current-events", run1, run2)
            #expect(scene.read() == [])
            try scene.point(at: run1)
            #expect(scene.read() == [])
            if restarts { scene.restart() }
            #expect(scene.read() == [] && scene.problems == [])
            try scene.write(run1, TailLine.lines(1...5))
            #expect(scene.read(changed: [run1]) == [])
            try scene.append(run1, TailLine.lines(8...8))
            #expect(scene.read(changed: [run1]) == TailLine.topics(8...8))
        }
    }

    @Test func `one that is pointed to before it is made anew is told`() async throws {
        try await withScene { scene in
            try remove(scene, run1)
            try scene.point(at: run1)
            #expect(scene.read() == [])
            try scene.write(run1, TailLine.lines(11...12))
            #expect(scene.read(changed: [run1]) == TailLine.topics(11...12))
        }
    }

    @Test func `one that a run begins anew is told with its first line`() async throws {
        try await withScene { scene in
            try scene.write(run1, "")
            try scene.point(at: run1)
            #expect(scene.read() == [])
            try scene.append(run1, TailLine.lines(11...11))
            #expect(scene.read(changed: [run1]) == TailLine.topics(11...11))
        }
    }

    @Test func `one that a run goes on with behind a cut is told whole`() async throws {
        try await withScene { scene in
            try scene.write(run1, TailLine.lines(1...2))
            try scene.point(at: run1)
            #expect(scene.read() == [])
            try scene.append(run1, TailLine.lines(11...19))
            #expect(scene.read() == TailLine.topics([1, 2] + Array(11...19)))
        }
    }

    @Test func `one that stays shorter is followed after a while`() async throws {
        try await withScene(copyRest: .zero) { scene in
            try scene.write(run1, TailLine.lines(1...2))
            try scene.point(at: run1)
            #expect(scene.read() == TailLine.topics(1...2))
        }
    }

    @Test func `sizes that an older version stored are good for what they were`() async throws {
        try await withScene { scene in
            let stored = try #require(scene.saved?.checkpoints[TailPosition.firstSizesKey])
            let sizes = try JSONDecoder().decode([String: Int64].self, from: Data(stored))
            let old = sizes.filter { !$0.key.hasSuffix("/") }
            #expect(old[run1] == Int64(TailLine.lines(1...5).utf8.count) && sizes.count == old.count + 2)
            scene.saved?.checkpoints[TailPosition.firstSizesKey] = Array(try JSONEncoder().encode(old))
            scene.restart()

            try scene.append(run1, TailLine.lines(7...7))
            #expect(scene.read() == TailLine.topics(7...7))
        }
    }

    @Test func `one with the number of a file that is gone is told`() async throws {
        try await withScene { scene in
            let held = scene.directory.path + "/held"
            #expect(link(scene.path(run2), held) == 0)
            try remove(scene, run2)
            #expect(scene.read() == [])
            #expect(rename(held, scene.path(run1)) == 0)
            try scene.write(run1, TailLine.lines(1...5) + TailLine.lines(11...12))
            #expect(scene.read() == TailLine.topics(11...12))
        }
    }
}
