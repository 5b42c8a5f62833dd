import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// The older part of a run's output is freed while it is followed, so that a week's run does not fill the disk.
@Suite(.timeLimit(.minutes(1)))
struct HoleTests {
    private static func output(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { #"{"type":"wave_n.\#($0)","text":"some more text that takes room"}"# + "\n" }.joined()
    }

    private func lines(_ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { TailLine.text($0) }
    }

    @Test(arguments: [false, true], [0, 4096])
    func `a hole behind the position is not noticed`(isRestarted: Bool, kept: Int) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...3000))
            #expect(try scene.read().count == 3000)

            for (size, next) in [(8192, 3001), (65536, 3011)] {
                try Hole.punch(scene.path, keeping: kept, upTo: size)
                if isRestarted { try scene.restart() }
                #expect(try scene.read() == [])
                try scene.append(TailLine.lines(next...next + 9))
                #expect(try scene.read() == lines(next...next + 9))
                #expect(scene.tail.generation == 0)
            }
        }
    }

    @Test(arguments: [0, 4096])
    func `a hole that ends in the last line read is not noticed either`(kept: Int) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...500))
            #expect(try scene.read().count == 500)

            try Hole.punch(scene.path, keeping: kept, upTo: TailLine.lines(1...500).utf8.count - 20)
            try scene.append(TailLine.lines(501...502))
            #expect(try scene.read() == lines(501...502))
        }
    }

    @Test(arguments: [false, true], [0, 2048])
    func `a hole beyond the position loses what was in it, and says so`(isRestarted: Bool, kept: Int)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...100))
            #expect(try scene.read().count == 100)
            try scene.append(TailLine.lines(101...9000))

            try Hole.punch(scene.path, keeping: kept, upTo: TailLine.lines(1...8000).utf8.count + 10)
            if isRestarted { try scene.restart() }
            let given = try scene.read()

            #expect(given.first == "truncated")
            // The line in which the hole ends is torn.
            #expect(Array(given.dropFirst(2)) == lines(8002...9000))
            #expect(scene.tail.generation == 1)
            #expect(try scene.read() == [])
        }
    }

    @Test func `NULs in place of other content are another file`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...100))
            #expect(try scene.read().count == 100)

            try scene.write(String(repeating: "\0", count: 4096) + "\n" + TailLine.lines(1...100))
            #expect(try scene.read().count == 101)
        }
    }

    /// Follows an output of 2000 lines, frees its first half, and gives what was read before and after.
    private func withHole(
        keeping kept: Int = 0,
        _ body: (SessionScene, _ before: SessionRead, _ after: SessionRead, _ size: Int) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let output = directory.path + "/out.jsonl"
            let scene = try SessionScene(directory, agentOutput: [output])
            try directory.write("out.jsonl", "")
            _ = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            try directory.append("out.jsonl", Self.output(1...2000))
            let before = scene.tail.read(changed: ["out.jsonl"], budget: 1 << 20, now: 1000)
            let size = Self.output(1...1000).utf8.count + 5
            try Hole.punch(output, keeping: kept, upTo: size)
            try directory.append("out.jsonl", Self.output(2001...2003))
            let after = scene.tail.read(changed: ["out.jsonl"], budget: 1 << 20, now: 2000)
            try body(scene, before, after, size)
        }
    }

    @Test(arguments: [0, 4096])
    func `a session's output goes on behind a hole`(kept: Int) async throws {
        try await withHole(keeping: kept) { _, before, after, _ in
            #expect(before.batch.items.count == 2000)
            #expect(SessionScene.topics(after.batch) == (2001...2003).map { "wave.n.\($0)" })
            #expect(after.problems == [])
        }
    }

    @Test(arguments: [true, false], [0, 4096])
    func `the archive has what is around the hole, and nothing of what was in it`(
        isStored: Bool, kept: Int
    ) async throws {
        try await withHole(keeping: kept) { scene, before, after, size in
            let checkpoints = isStored ? after.checkpoints : before.checkpoints
            for index in stride(from: 0, to: 2000, by: 10) {
                let items = before.batch.items[index..<min(index + 20, 2000)]
                let item = items[index]
                let context = before.batch.contexts[Int(item.context)]
                let read = { () throws(TailError) in
                    try ArchiveReader.lines(
                        in: ArchiveReader.path(ofFile: context.file, in: scene.session), from: item.offset,
                        events: Int64(items.count), context: context, checkpoint: checkpoints[context.file])
                }
                let end = Self.output(1...items.endIndex).utf8.count - 1
                if item.offset < size, end > kept {
                    #expect(throws: TailError.self, "\(item.offset)") { _ = try read() }
                } else {
                    let again = SessionScene.topics(try read())
                    #expect(again == items.map { before.batch.text($0.topic) })
                }
            }
        }
    }

    @Test(arguments: [8192, 8192 + 3 * 1024 * 1024])
    func `a hole between lines is noticed, however long it is`(end: Int) async throws {
        try await withTemporaryDirectory { directory in
            let line = #"{"type":"wave_n.1","text":""# + String(repeating: "x", count: 4066) + "\"}\n"
            let path = try directory.write("out.jsonl", String(repeating: line, count: 900))
            let scene = try SessionScene(directory, agentOutput: [path])
            let read = scene.tail.read(changed: nil, budget: 1 << 30, now: 0)
            #expect(line.utf8.count == 4096 && read.batch.items.count == 900)

            try Hole.punch(path, keeping: 4096, upTo: end)
            let context = read.batch.contexts[0]
            let lines = { (from: Int, count: Int64) throws(TailError) in
                try ArchiveReader.lines(
                    in: path, from: Int64(from), events: count, context: context,
                    checkpoint: read.checkpoints[context.file]
                ).count
            }
            #expect(try lines(0, 1) == 1)
            #expect(throws: TailError.self) { _ = try lines(0, 2) }
            #expect(try lines(end, 10) == 10)
        }
    }

    @Test func `a session that is first seen with a hole begins behind it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out.jsonl", Self.output(1...2000))
            try Hole.punch(path, upTo: Self.output(1...1990).utf8.count + 3)
            let scene = try SessionScene(directory, agentOutput: [path])

            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            #expect(SessionScene.topics(read.batch) == (1992...2000).map { "wave.n.\($0)" })
        }
    }
}
