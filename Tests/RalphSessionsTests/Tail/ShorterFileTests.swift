import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// A shorter file that begins as the one that was read, and is there at once.
@Suite(.timeLimit(.minutes(1)))
struct ShorterFileTests {
    /// How it comes to the path.
    enum Way: CaseIterable {
        case over, instead, behindDeletion
    }

    private func withScene(
        copyRest: Duration = .milliseconds(50), _ body: (TailScene) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.copyRest = copyRest
            let scene = TailScene(directory, limits: limits)
            try scene.write(TailLine.lines(1...9))
            #expect(try scene.read().count == 9)
            try await body(scene)
        }
    }

    /// Puts the first two lines and `rows` in the place of the nine, and gives what is read then.
    private func given(_ scene: TailScene, _ way: Way, with rows: [String]) async throws -> [String] {
        if way == .behindDeletion {
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])
        }
        let text = TailLine.lines(1...2) + rows.map { $0 + "\n" }.joined()
        try way == .over ? scene.write(text) : scene.replace(text)
        var given: [String] = []
        try await eventually(within: .seconds(20), "an end of the wait") {
            // The wait itself is an error.
            given = (try? scene.read()) ?? []
            return !given.isEmpty
        }
        return given
    }

    /// Rows that are written later than all that was read.
    private static func rows(_ numbers: ClosedRange<Int>) async throws -> [String] {
        let last = WallClock.milliseconds()
        try await eventually(within: .seconds(5), "a later time") { WallClock.milliseconds() > last }
        return numbers.map { TailLine.text($0, at: WallClock.milliseconds()) }
    }

    @Test(arguments: Way.allCases)
    func `rows that nobody has read are told, and those before them are not`(way: Way) async throws {
        try await withScene { scene in
            let rows = try await Self.rows(21...22)

            let told = try await given(scene, way, with: rows)
            #expect(told == [way == .behindDeletion ? "returned" : "truncated"] + rows)
            let next = TailLine.text(23)
            try scene.append(next + "\n")
            #expect(try scene.read() == [next])
        }
    }

    @Test func `rows that nobody has read are told of a file that goes away again`() async throws {
        try await withScene(copyRest: .seconds(60)) { scene in
            let row = try await Self.rows(21...21)[0]
            try scene.replace(TailLine.lines(1...2) + row + "\n")
            #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
            try scene.directory.remove("events.jsonl")

            #expect(try scene.read() == ["truncated", row, "deleted"])
        }
    }

    @Test(arguments: [false, true])
    func `rows that were read and have a date to come are not told again`(isLast: Bool) async throws {
        try await withScene { scene in
            let dated = TailLine.text(21, at: WallClock.milliseconds() + 3_600_000)
            let rows = isLast ? [dated] : [dated, TailLine.text(22)]
            try scene.append((rows + [TailLine.text(23)]).map { $0 + "\n" }.joined())
            #expect(try scene.read().count == rows.count + 1)

            #expect(try await given(scene, .over, with: rows) == ["truncated"])
        }
    }

    @Test(arguments: Way.allCases)
    func `rows that were read as soon as they came are not told again`(way: Way) async throws {
        try await withScene { scene in
            let rows = (21...30).map { TailLine.text($0, at: WallClock.milliseconds()) }
            try scene.append(rows.map { $0 + "\n" }.joined())
            #expect(try scene.read() == rows)

            #expect(try await given(scene, way, with: Array(rows.prefix(3))).count == 1)
        }
    }
}
