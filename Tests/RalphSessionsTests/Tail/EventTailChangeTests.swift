import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// What becomes of a tail when its file is no longer what it was.
@Suite(.timeLimit(.minutes(1)))
struct EventTailChangeTests {
    private static let old = TailLine.lines(1...5)
    private static let new = TailLine.lines(11...12)

    private func withScene(
        restarts: Bool, limits: TailLimits = TailLimits(), _ body: (TailScene) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: limits)
            try scene.write(Self.old)
            #expect(try scene.read().count == 5)
            if restarts { try scene.restart() }
            try body(scene)
        }
    }

    private func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(TailLine.text) }

    @Test(arguments: [false, true])
    func `a truncated file begins anew`(restarts: Bool) async throws {
        try await withScene(restarts: restarts) { scene in
            try scene.truncate(0)
            #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
            try scene.append(Self.new)
            #expect(try scene.read() == ["truncated"] + texts(11...12))
            #expect(scene.tail.generation == 1)
        }
    }

    @Test(arguments: [false, true], [0, 20])
    func `what is left of a file cut short was read`(restarts: Bool, surplus: Int) async throws {
        var limits = TailLimits()
        limits.copyRest = .zero
        try await withScene(restarts: restarts, limits: limits) { scene in
            try scene.truncate(TailLine.lines(1...3).utf8.count + surplus)
            #expect(try scene.read() == ["truncated"])
            try scene.append(Self.new)
            #expect(try scene.read() == texts(11...12))
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `a shorter file with the same first words begins anew`(restarts: Bool, isReplaced: Bool) async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            let words = String(repeating: "the same prompt ", count: 20)
            try scene.write((1...9).map { words + "old \($0)\n" }.joined())
            _ = try scene.read()

            let new = (1...3).map { words + "new \($0)\n" }.joined()
            if isReplaced {
                try scene.replace(new)
            } else {
                try scene.truncate(0)
                try scene.append(new)
            }
            if restarts { try scene.restart() }
            let expected = [isReplaced ? "replaced" : "truncated"] + (1...3).map { words + "new \($0)" }
            #expect(try scene.read() == expected)
        }
    }

    @Test(arguments: [false, true])
    func `a file written anew and longer begins anew`(restarts: Bool) async throws {
        try await withScene(restarts: restarts) { scene in
            try scene.truncate(0)
            try scene.append(TailLine.lines(11...19))
            #expect(try scene.read() == ["rewritten"] + texts(11...19))
        }
    }

    @Test func `a file written anew to the same length with the same end begins anew`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            let rest = String(repeating: "x", count: 100) + "\n"
            try scene.write("1" + rest)
            #expect(try scene.read() == ["1" + rest.dropLast()])

            try scene.truncate(0)
            try scene.append("2" + rest)
            #expect(try scene.read() == ["rewritten", "2" + rest.dropLast()])
        }
    }

    @Test func `the old file is read to its end before the one in its place`() async throws {
        try await withScene(restarts: false) { scene in
            try scene.append(TailLine.text(6) + "\n" + TailLine.text(7))
            try scene.replace(Self.new)
            #expect(try scene.read() == texts(6...7) + ["replaced"] + texts(11...12))
        }
    }

    @Test func `a torn line of a replaced file is reported`() async throws {
        try await withScene(restarts: false) { scene in
            let size = Self.old.utf8.count
            try scene.append("{\"topic")
            try scene.replace(Self.new)
            #expect(try scene.read() == ["lost 7 at \(size)", "replaced"] + texts(11...12))
        }
    }

    @Test(arguments: [false, true])
    func `a replacement with the same beginning goes on where it was`(restarts: Bool) async throws {
        try await withScene(restarts: restarts) { scene in
            try scene.replace(Self.old + TailLine.lines(6...7))
            #expect(try scene.read() == texts(6...7))
            #expect(scene.tail.generation == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a deleted file is noted once and read anew when another one comes`(restarts: Bool) async throws {
        try await withScene(restarts: restarts) { scene in
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])
            if restarts { try scene.restart() }
            #expect(try scene.read() == [])
            try scene.write(Self.new)
            #expect(try scene.read() == ["returned"] + texts(11...12))
        }
    }

    @Test func `a file moved away and back goes on where it was`() async throws {
        try await withScene(restarts: false) { scene in
            try scene.append(TailLine.text(6))
            rename(scene.path, scene.path + ".away")
            #expect(try scene.read() == [TailLine.text(6), "deleted"])
            rename(scene.path + ".away", scene.path)
            try scene.append("\n" + TailLine.lines(7...7))
            #expect(try scene.read() == ["returned", TailLine.text(7)])
        }
    }

    @Test func `a file that was never there is no deletion`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            #expect(try scene.read() == [])
            try scene.write(Self.new)
            #expect(try scene.read() == texts(11...12))
        }
    }

    @Test func `a directory that vanishes gives what was open and a deletion`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("inner/events.jsonl", Self.old)
            let tail = EventTail(
                path: directory.path + "/inner/events.jsonl", limits: TailLimits(), pool: FilePool())
            var budget = 1
            _ = try tail.readAvailable(upTo: &budget) { _ in }
            try directory.append("inner/events.jsonl", Self.new)
            try directory.remove("inner")

            var given = 0
            budget = .max
            #expect(try tail.readAvailable(upTo: &budget) { _ in given += 1 } == .atEnd)
            #expect(given == 3 && tail.position.isMissing)
        }
    }

    /// Removes the file and puts another one with `text` at its path.
    private func putBack(_ text: String, _ scene: TailScene, isNoticed: Bool) throws {
        try scene.directory.write("held", "")  // so that the new file is another inode
        try scene.directory.remove("events.jsonl")
        if isNoticed { #expect(try scene.read() == ["deleted"]) }
        rename(scene.directory.path + "/held", scene.path)
        try scene.write(text)
    }

    @Test(arguments: [false, true], [0, 1, 30, 64, 90])
    func `a copy is waited for until it has all that was read`(isNoticed: Bool, bytes: Int) async throws {
        try await withScene(restarts: isNoticed) { scene in
            let old = Array(Self.old.utf8)
            try putBack(String(decoding: old.prefix(bytes), as: UTF8.self), scene, isNoticed: isNoticed)
            #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
            try scene.append(String(decoding: old.dropFirst(bytes), as: UTF8.self))
            try scene.append(Self.new)

            #expect(try scene.read() == (isNoticed ? ["returned"] : []) + texts(11...12))
            #expect(scene.tail.generation == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a shorter copy that does not grow was read, and what came since was not`(
        isNoticed: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(Self.old)
            #expect(try scene.read().count == 5)
            try putBack(TailLine.lines(1...2), scene, isNoticed: isNoticed)
            #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
            let new = (21...22).map(TailLine.textOfNow)
            try scene.append(new.map { $0 + "\n" }.joined())

            var given: [String] = []
            try await eventually(within: .seconds(20), "an end of the wait") {
                // The wait itself is an error.
                given = (try? scene.read()) ?? []
                return !given.isEmpty
            }
            #expect(given == [isNoticed ? "returned" : "truncated"] + new)
        }
    }

    @Test func `what is written to a copy that is removed meanwhile is given`() async throws {
        try await withScene(restarts: false) { scene in
            try putBack(TailLine.lines(1...2), scene, isNoticed: true)
            #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
            let new = (21...22).map(TailLine.textOfNow)
            try scene.append(new.map { $0 + "\n" }.joined())
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["returned"] + new + ["deleted"])
        }
    }

    @Test func `a file that is another one by its first line is not waited for`() async throws {
        try await withScene(restarts: false) { scene in
            try putBack(TailLine.lines(11...11), scene, isNoticed: true)
            #expect(try scene.read() == ["returned"] + texts(11...11))
        }
    }
}
