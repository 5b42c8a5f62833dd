import RalphTestSupport
import Testing

@testable import RalphSessions

/// Another file takes the place of an events file for a while.
@Suite(.timeLimit(.minutes(1)))
struct EarlierContentsTests {
    /// A scene in which lines 1 to 9 were read, and then line 11 of another file at their path.
    private func withOther(_ body: (TailScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...9))
            #expect(try scene.read().count == 9)
            try scene.replace(TailLine.lines(11...11))
            #expect(try scene.read() == ["replaced", TailLine.text(11)])
            try body(scene)
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `what was read is not told again when it is back, and what is new is`(
        isRestarted: Bool, isMissed: Bool
    ) async throws {
        try await withOther { scene in
            if isMissed {
                try scene.directory.remove("events.jsonl")
                #expect(try scene.read() == ["deleted"])
            }
            if isRestarted { try scene.restart() }
            try scene.replace(TailLine.lines(1...10))

            #expect(try scene.read() == [isMissed ? "returned" : "replaced", TailLine.text(10)])
            try scene.append(TailLine.lines(20...20))
            #expect(try scene.read() == [TailLine.text(20)])
            #expect(scene.tail.generation == 0)
        }
    }

    @Test func `each of several contents is known, and each new one has a generation of its own`()
        async throws
    {
        try await withOther { scene in
            let others = Array(12..<11 + EarlierContents.capacity)
            for number in others {
                try scene.replace(TailLine.lines(number...number))
                #expect(try scene.read() == ["replaced", TailLine.text(number)])
            }
            let newest = scene.tail.generation
            try scene.replace(TailLine.lines(1...9))
            #expect(try scene.read() == ["replaced"] && scene.tail.generation == 0)
            for (number, generation) in zip([11] + others, 1...) {
                try scene.replace(TailLine.lines(number...number))
                #expect(try scene.read() == ["replaced"] && scene.tail.generation == generation)
            }
            try scene.replace(TailLine.lines(30...30))
            #expect(
                try scene.read() == ["replaced", TailLine.text(30)] && scene.tail.generation == newest + 1)
        }
    }

    @Test func `no generation is given twice, also where what had it is known no more`() async throws {
        try await withOther { scene in
            try scene.replace(TailLine.lines(1...9))
            #expect(try scene.read() == ["replaced"] && scene.tail.generation == 0)
            for number in 12...12 + EarlierContents.capacity {
                try scene.replace(TailLine.lines(number...number))
                _ = try scene.read()
            }
            let newest = scene.tail.generation
            for number in stride(from: 11 + EarlierContents.capacity, to: 12, by: -1) {
                try scene.replace(TailLine.lines(number...number))
                #expect(try scene.read() == ["replaced"])
            }
            try scene.restart()
            try scene.replace(TailLine.lines(40...40))
            #expect(try scene.read() == ["replaced", TailLine.text(40)])
            #expect(scene.tail.generation == newest + 1)
        }
    }

    @Test func `of more contents than are known the oldest is told again`() async throws {
        try await withOther { scene in
            for number in 12...12 + EarlierContents.capacity {
                try scene.replace(TailLine.lines(number...number))
                _ = try scene.read()
            }
            try scene.replace(TailLine.lines(1...9))
            #expect(try scene.read().count == 10)
        }
    }

    @Test func `what was cut off is known when it is back behind lines that were added to the rest`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.copyRest = .zero
            let scene = TailScene(directory, limits: limits)
            try scene.write(TailLine.lines(1...9))
            #expect(try scene.read().count == 9)
            try scene.truncate(TailLine.lines(1...3).utf8.count)
            try await eventually(within: .seconds(20), "an end of the wait") {
                // The wait itself is an error.
                (try? scene.read()) == ["truncated"]
            }
            let new = TailLine.textOfNow(21)
            try scene.append(new + "\n")
            #expect(try scene.read() == [new])

            try scene.replace(TailLine.lines(1...10))
            #expect(try scene.read() == ["replaced", TailLine.text(10)])
        }
    }

    @Test func `a file that begins as an earlier one did and goes on otherwise is told`() async throws {
        try await withOther { scene in
            let text = TailLine.lines([1, 2, 31, 32, 33, 34, 35, 36, 37])
            try scene.replace(text)
            #expect(try scene.read().dropFirst().map { $0 + "\n" }.joined() == text)
        }
    }
}
