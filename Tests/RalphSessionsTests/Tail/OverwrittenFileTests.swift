import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// An events file that is cut, or that another one is copied over, and stays the same file (`cp backup events.jsonl`).
@Suite(.timeLimit(.minutes(1)))
struct OverwrittenFileTests {
    private static let size = TailLine.lines(1...9).utf8.count

    private func withScene(
        copyRest: Duration = TailLimits().copyRest, _ body: (TailScene) async throws -> Void
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

    private func expectWait(_ scene: TailScene) {
        #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
    }

    /// What the first read gives that does not wait; before each `act` does something.
    private func given(_ scene: TailScene, _ act: () throws -> Void = {}) async throws -> [String] {
        var given: [String] = []
        try await eventually(within: .seconds(20), "an end of the wait") {
            try act()
            // The wait itself is an error.
            given = (try? scene.read()) ?? []
            return !given.isEmpty
        }
        return given
    }

    @Test(arguments: [false, true], [0, 30, 44, 90])
    func `a copy of all that was read tells nothing again`(restarts: Bool, bytes: Int) async throws {
        try await withScene { scene in
            let old = Array(TailLine.lines(1...9).utf8)
            try scene.truncate(0)
            try scene.append(String(decoding: old.prefix(bytes), as: UTF8.self))
            expectWait(scene)
            if restarts {
                try scene.restart()
                expectWait(scene)
            }
            try scene.append(String(decoding: old.dropFirst(bytes), as: UTF8.self))
            #expect(try scene.read() == [])

            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == [new] && scene.tail.generation == 0)
        }
    }

    @Test(arguments: [0, 3])
    func `what comes of an older backup was read, and what a run adds was not`(lines: Int) async throws {
        try await withScene { scene in
            try scene.truncate(Self.size / 9 * lines)
            expectWait(scene)
            try scene.append(TailLine.lines((lines + 1)...4))
            expectWait(scene)
            let new = (21...22).map(TailLine.textOfNow)
            try scene.append(new.map { $0 + "\n" }.joined())

            #expect(try await given(scene) == ["truncated"] + new)
            #expect(scene.tail.generation == 1)
        }
    }

    /// Behind a line, within one, and before an LF.
    @Test(arguments: [0, 132, 152, 175])
    func `a run that writes more than was cut off is told`(size: Int) async throws {
        try await withScene { scene in
            try scene.truncate(size)
            expectWait(scene)
            let new = (21...40).map(TailLine.textOfNow)
            try scene.append(new.map { $0 + "\n" }.joined())
            #expect(try scene.read() == ["truncated"] + new)
        }
    }

    @Test func `a cut in the middle of the wait leaves less that was read`() async throws {
        try await withScene { scene in
            try scene.truncate(Self.size / 9 * 5)
            expectWait(scene)
            try scene.truncate(Self.size / 9 * 2)
            expectWait(scene)
            let new = (21...40).map(TailLine.textOfNow)
            try scene.append(new.map { $0 + "\n" }.joined())
            #expect(try scene.read() == ["truncated"] + new)
        }
    }

    @Test func `a run that goes on writing is not waited for as long as a copy`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.copyRest = .milliseconds(300)
            let scene = TailScene(directory, limits: limits)
            try scene.write(TailLine.lines(1...30_000))
            #expect(try scene.read(budget: .max).count == 30_000)
            try scene.truncate(Self.size / 9 * 3)
            expectWait(scene)

            var new: [String] = []
            let told = try await given(scene) {
                let line = TailLine.textOfNow(new.count)
                new.append(line)
                try scene.append(line + "\n")
            }
            #expect(told == ["truncated"] + new)
        }
    }

    /// To nothing, behind a line, and within one.
    @Test(arguments: [0, 132, 150], [false, true])
    func `what was cut off and comes back later is told once`(size: Int, isReplaced: Bool) async throws {
        for restarts in [false, true] {
            try await withScene(copyRest: .zero) { scene in
                let new = TailLine.textOfNow(21)
                let old = Array(TailLine.lines(1...9).utf8)
                try scene.truncate(size)
                #expect(try scene.read() == ["truncated"] && scene.tail.generation == 1)
                #expect(try scene.read() == [])
                if restarts { try scene.restart() }

                if isReplaced {
                    try scene.replace(TailLine.lines(1...9) + new + "\n")
                } else {
                    try scene.append(String(decoding: old[size...], as: UTF8.self) + new + "\n")
                }
                #expect(try scene.read() == [new])
                // What was numbered stands where it stood.
                #expect(scene.tail.generation == 0 && scene.tail.position.farthest == nil)
            }
        }
    }

    @Test func `what was cut off twice and comes back is told once`() async throws {
        try await withScene(copyRest: .zero) { scene in
            for lines in [5, 2] {
                try scene.truncate(Self.size / 9 * lines)
                #expect(try scene.read() == ["truncated"])
            }
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])
            let new = TailLine.textOfNow(21)
            try scene.write(TailLine.lines(1...9) + new + "\n")
            #expect(try scene.read() == ["returned", new] && scene.tail.generation == 0)
        }
    }

    @Test(arguments: [#"{"topic":"n.10"}"#, "no JSON"])
    func `what comes back is told once, whatever its last line says`(last: String) async throws {
        try await withScene(copyRest: .zero) { scene in
            try scene.append(last + "\n")
            #expect(try scene.read().count == 1)
            try scene.truncate(Self.size / 9 * 3)
            #expect(try scene.read() == ["truncated"])
            try scene.append(TailLine.lines(4...9) + last + "\n")
            #expect(try scene.read() == [])
        }
    }

    @Test func `rows of a run that end like what was cut off are told`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.copyRest = .zero
            let scene = TailScene(directory, limits: limits)
            let row = { (time: String) in
                #"{"ts":"\#(time)","topic":"t","payload":"\#(String(repeating: "x", count: 80))"}"# + "\n"
            }
            let old = row("2026-01-01T00:00:00Z")
            try scene.write(old + old + old)
            #expect(try scene.read().count == 3)
            try scene.truncate(old.utf8.count)
            #expect(try scene.read() == ["truncated"])

            let new = row(Date.now.addingTimeInterval(60).ISO8601Format())
            try scene.append(new + new)
            #expect(try scene.read().count == 2)
        }
    }

    @Test(arguments: [0, 3])
    func `what was cut off is waited for while it comes back`(lines: Int) async throws {
        try await withScene(copyRest: .milliseconds(300)) { scene in
            try scene.truncate(Self.size / 9 * lines)
            #expect(try await given(scene) == ["truncated"])
            try scene.append(TailLine.lines((lines + 1)...7))
            expectWait(scene)
            try scene.append(TailLine.lines(8...9))
            #expect(try scene.read() == [] && scene.tail.generation == 0)
            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == [new])
        }
    }

    @Test func `a part of what was cut off that goes away again is not told`() async throws {
        // Long enough to have seen it while it is made, however slow the machine.
        try await withScene { scene in
            try scene.truncate(Self.size / 9 * 3)
            #expect(try await given(scene) == ["truncated"])
            try scene.append(TailLine.lines(4...7))
            expectWait(scene)
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])
            try scene.write(TailLine.lines(1...9))
            #expect(try scene.read() == ["returned"] && scene.tail.generation == 0)
        }
    }

    /// Removed, and replaced by another one.
    @Test(arguments: [false, true])
    func `old lines behind a cut that nobody saw before their file went away are told`(
        isReplaced: Bool
    ) async throws {
        try await withScene(copyRest: .milliseconds(300)) { scene in
            try scene.truncate(Self.size / 9 * 3)
            #expect(try await given(scene) == ["truncated"])
            try scene.append(TailLine.lines(11...12))
            let new = TailLine.textOfNow(21)
            if isReplaced {
                try scene.replace(new + "\n")
            } else {
                try scene.directory.remove("events.jsonl")
            }
            let told = (11...12).map(TailLine.text)
            #expect(try scene.read() == told + (isReplaced ? ["replaced", new] : ["deleted"]))
        }
    }

    @Test(arguments: [0, 3])
    func `a run that goes on behind a cut is told at once`(lines: Int) async throws {
        try await withScene(copyRest: .milliseconds(300)) { scene in
            try scene.truncate(Self.size / 9 * lines)
            #expect(try await given(scene) == ["truncated"])
            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == [new])
            #expect(scene.tail.generation == 1 && scene.tail.position.farthest == nil)
        }
    }

    @Test func `old lines behind a cut that nothing follows are told in the end`() async throws {
        try await withScene(copyRest: .milliseconds(300)) { scene in
            try scene.truncate(Self.size / 9 * 3)
            #expect(try await given(scene) == ["truncated"])
            try scene.append(TailLine.lines(11...11))
            expectWait(scene)
            #expect(try await given(scene) == [TailLine.text(11)])
        }
    }

    @Test func `what is removed before it is written again was there`() async throws {
        try await withScene { scene in
            try scene.truncate(0)
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])
            let new = TailLine.textOfNow(21)
            try scene.write(TailLine.lines(1...9) + new + "\n")
            #expect(try scene.read() == ["returned", new])
        }
    }

    @Test func `an older file that is cut keeps no run waiting`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(SessionScene.run1, TailLine.lines(1...3))
            try scene.point(at: SessionScene.run1)
            #expect(scene.read() == TailLine.topics(1...3))
            try scene.write(SessionScene.run2, TailLine.lines(4...4))
            try scene.point(at: SessionScene.run2)
            #expect(scene.read() == TailLine.topics(4...4))

            try scene.write(SessionScene.run1, "")
            try scene.append(SessionScene.run2, TailLine.lines(5...5))
            #expect(scene.read() == TailLine.topics(5...5) && scene.last?.readAgainAt != nil)
        }
    }

    @Test func `a run's output that is emptied begins anew at once`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, isOutput: true)
            let lines = (1...9).map { #"{"type":"tool_call_start","tool_name":"\#($0)"}"# }
            try scene.write(lines.map { $0 + "\n" }.joined())
            #expect(try scene.read() == lines)
            try scene.truncate(0)
            #expect(try scene.read() == ["truncated"])
            try scene.append(lines.prefix(3).map { $0 + "\n" }.joined())
            #expect(try scene.read() == Array(lines.prefix(3)))
        }
    }
}
