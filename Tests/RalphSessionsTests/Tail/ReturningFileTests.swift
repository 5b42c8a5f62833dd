import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// A copy of an events file, from an older backup, that is being made where the file was.
@Suite(.timeLimit(.minutes(1)))
struct ReturningFileTests {
    private func withScene(
        _ limits: TailLimits = TailLimits(), isNoticed: Bool = true, _ body: (TailScene) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, limits: limits)
            try scene.write(TailLine.lines(1...9))
            #expect(try scene.read().count == 9)
            try directory.write("held", "")  // so that the new file is another inode
            try directory.remove("events.jsonl")
            if isNoticed { #expect(try scene.read() == ["deleted"]) }
            rename(directory.path + "/held", scene.path)
            try await body(scene)
        }
    }

    private func expectWait(_ scene: TailScene) {
        #expect(throws: TailError.returning(path: scene.path)) { try scene.read() }
    }

    /// What the first read gives that does not wait.
    private func given(_ scene: TailScene) async throws -> [String] {
        var given: [String] = []
        try await eventually(within: .seconds(20), "an end of the wait") {
            // The wait itself is an error.
            given = (try? scene.read()) ?? []
            return !given.isEmpty
        }
        return given
    }

    @Test(arguments: [0, 1], [false, true])
    func `what comes of an older backup bit by bit was read`(lines: Int, isNoticed: Bool) async throws {
        try await withScene(isNoticed: isNoticed) { scene in
            let text = Array(TailLine.lines(1...3).utf8)
            let first = TailLine.lines(1...3).split(separator: "\n").prefix(lines).map { $0.utf8.count + 1 }
            let parts = [0, first.reduce(0, +), text.count - 70, text.count]
            for (begin, end) in zip(parts, parts.dropFirst()) {
                try scene.append(String(decoding: text[begin..<end], as: UTF8.self))
                expectWait(scene)
            }

            #expect(try await given(scene) == [isNoticed ? "returned" : "truncated"])
            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == [new] && scene.tail.generation == 1)
        }
    }

    @Test func `of a copy that a run writes to only what the run wrote is told`() async throws {
        try await withScene { scene in
            expectWait(scene)
            let undated = #"{"topic":"n.9"}"#
            try scene.append(TailLine.lines(1...2) + undated + "\n" + TailLine.lines(3...3))
            let new = [undated, TailLine.textOfNow(21), TailLine.text(8), undated]
            try scene.append(new.map { $0 + "\n" }.joined())
            #expect(try await given(scene) == ["returned"] + new)
        }
    }

    @Test func `a copy that takes long is waited for until a run writes to it`() async throws {
        var limits = TailLimits()
        limits.copyDuration = .zero
        try await withScene(limits) { scene in
            try scene.write(TailLine.lines(1...1))
            expectWait(scene)
            try scene.append(TailLine.lines(2...2))
            expectWait(scene)
            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == ["returned", new])
        }
    }

    @Test func `of a file that always grows by old lines they are told in the end`() async throws {
        var limits = TailLimits()
        (limits.copyDuration, limits.longestCopy) = (.zero, .zero)
        try await withScene(limits) { scene in
            try scene.write(TailLine.lines(1...1))
            #expect(try scene.read() == ["returned"])
            try scene.append(TailLine.lines(7...7))
            #expect(try scene.read() == [TailLine.text(7)])
        }
    }

    /// How a copy that is not made goes away.
    enum End: CaseIterable {
        case removed
        case removedAcrossRestart
        case replaced
    }

    @Test(
        arguments: [
            (0, 0), (0, 30), (0, 43), (0, 80), (1, 50), (43, 44), (44, 44), (44, 132), (50, 175), (88, 160),
        ],
        End.allCases)
    func `a copy that goes away before it is made was never there`(
        sizes: (first: Int, last: Int), end: End
    ) async throws {
        for isNoticed in [false, true] {
            try await withScene(isNoticed: isNoticed) { scene in
                let old = Array(TailLine.lines(1...9).utf8)
                try scene.append(String(decoding: old[..<sizes.first], as: UTF8.self))
                expectWait(scene)
                try scene.append(String(decoding: old[sizes.first..<sizes.last], as: UTF8.self))

                let new = TailLine.textOfNow(10)
                let whole = TailLine.lines(1...9) + new + "\n"
                if end == .replaced {
                    try scene.replace(whole)
                } else {
                    try scene.directory.remove("events.jsonl")
                    #expect(try scene.read() == (isNoticed ? [] : ["deleted"]))
                    if end == .removedAcrossRestart { try scene.restart() }
                    #expect(try scene.read() == [])
                    try scene.write(whole)
                }
                let isReturn = isNoticed || end != .replaced
                #expect(try scene.read() == (isReturn ? ["returned", new] : [new]))
                #expect(scene.tail.generation == 0)
            }
        }
    }

    @Test func `a copy that goes away within an over-long line was never there`() async throws {
        var limits = TailLimits()
        (limits.maximumLineBytes, limits.readBytes) = (1000, 500)
        try await withScene(limits) { scene in
            let long =
                TailLine.text(10).dropLast() + #","more":"\#(String(repeating: "x", count: 20_000))"}"# + "\n"
            let text = TailLine.lines(1...9) + long + TailLine.lines(11...12)
            try scene.write(text)
            #expect(try scene.read().count == 4)
            try scene.replace(TailLine.lines(1...1))
            expectWait(scene)
            try scene.append(TailLine.lines(2...9) + long.prefix(15_000))
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["deleted"])

            let new = TailLine.textOfNow(13)
            try scene.write(text + new + "\n")
            #expect(try scene.read() == ["returned", new] && scene.tail.generation == 0)
        }
    }

    @Test(arguments: [false, true])
    func `what comes back of a run's output was read, though few lines say when`(isLate: Bool) async throws {
        var limits = TailLimits()
        if isLate { limits.copyDuration = .zero }
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory, isOutput: true, limits: limits)
            func start(_ time: Int64) -> String { #"{"type":"loop_started","started_at":\#(time)}"# }
            let lines = [start(1000)] + (1...8).map { #"{"type":"tool_call_start","tool_name":"\#($0)"}"# }
            try scene.write(lines.map { $0 + "\n" }.joined())
            #expect(try scene.read().count == 9)
            try scene.replace("")
            expectWait(scene)
            for line in lines.prefix(5) {
                try scene.append(line + "\n")
                expectWait(scene)
            }
            let new = [start(WallClock.milliseconds()), lines[8]]
            // A run that goes on in it ends a wait that has taken long.
            if !isLate { #expect(try await given(scene) == ["truncated"]) }
            try scene.append(new.map { $0 + "\n" }.joined())
            #expect(try scene.read() == (isLate ? ["truncated"] : []) + new && scene.tail.generation == 1)
        }
    }

    @Test func `rows that say no time come with a copy that goes away`() async throws {
        try await withScene { scene in
            try scene.append(TailLine.lines(1...1))
            expectWait(scene)
            try scene.append(TailLine.lines(2...2) + #"{"topic":"n.9"}"# + "\n")
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == [] && scene.tail.generation == 0)
        }
    }

    @Test func `one copy that makes room for another is none of a run`() async throws {
        try await withScene { scene in
            try scene.append(TailLine.lines(1...1))
            expectWait(scene)
            try scene.replace(TailLine.lines(1...3))
            expectWait(scene)
            #expect(try await given(scene) == ["returned"] && scene.tail.generation == 1)
        }
    }

    @Test(arguments: [false, true])
    func `what a run wrote to a copy that goes away is told`(isFinished: Bool) async throws {
        try await withScene { scene in
            try scene.append(TailLine.lines(1...1))
            expectWait(scene)
            let new = [TailLine.textOfNow(21), TailLine.text(8)].prefix(isFinished ? 2 : 1)
            try scene.append(TailLine.lines(2...2) + new.joined(separator: "\n") + (isFinished ? "\n" : ""))
            try scene.directory.remove("events.jsonl")
            #expect(try scene.read() == ["returned"] + new + ["deleted"])
            #expect(try scene.read() == [])
        }
    }

    @Test func `another file that begins with the same bytes and goes away is told`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            let words = String(repeating: "the same prompt ", count: 20)
            try scene.write((1...9).map { words + "old \($0)\n" }.joined())
            #expect(try scene.read().count == 9)
            try scene.replace("")
            expectWait(scene)
            try scene.append(words + "new\n")
            try directory.remove("events.jsonl")
            #expect(try scene.read() == ["replaced", words + "new", "deleted"])
        }
    }

    @Test func `a copy that was away without its descriptor is waited for anew`() async throws {
        try await withScene { scene in
            try scene.append(TailLine.lines(1...1))
            expectWait(scene)
            scene.tail.closeFile()
            rename(scene.path, scene.path + ".away")
            #expect(try scene.read() == [])
            let more = TailLine.lines(2...2) + #"{"topic":"n.9"}"# + "\n"
            try scene.directory.append("events.jsonl.away", more)
            rename(scene.path + ".away", scene.path)
            expectWait(scene)
            #expect(try await given(scene) == ["returned"])
        }
    }

    @Test func `a clock that was set back makes rows of now no older`() {
        var file = ReturningFile(FileIdentity(device: 1, inode: 1), size: 0, time: 1_000_000_000)
        #expect(file.newestOld == 1_000_000_000 - SessionNarrator.clockSkewMilliseconds)
        file.note(10, time: 1_000_900_000)
        #expect(file.newestOld == 1_000_000_000 - SessionNarrator.clockSkewMilliseconds)
        file.note(20, time: 999_000_000)
        #expect(file.newestOld <= 999_000_000 - SessionNarrator.clockSkewMilliseconds)
    }

    @Test(arguments: [
        (#"{"topic":"a","ts":"1970-01-01T00:00:01Z"}"#, true),
        (#"{"topic":"a","ts":"1970-01-01T00:00:03Z"}"#, false),
        (#"{"topic":"a","timestamp":1}{"topic":"b"}"#, true),
        (#"{"topic":"a","ts":"1970-01-01T00:00:03Z"}{"topic":"b","ts":"1970-01-01T00:00:01Z"}"#, false),
        (#"{"topic":"a"}"#, nil), ("torn", nil),
    ])
    func `a line's objects say whether it is older`(line: String, expected: Bool?) {
        let isOlder = Array(line.utf8).withUnsafeBytes { EngineLine.isOlder($0, than: 2000) }
        #expect(isOlder == expected)
    }
}
