import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

/// The beginning of a run's output is freed while it is followed, so that a week's run does not fill the disk.
@Suite(.timeLimit(.minutes(1)))
struct HoleTests {
    private static func output(_ numbers: ClosedRange<Int>) -> String {
        numbers.map { #"{"type":"wave_n.\#($0)","text":"some more text that takes room"}"# + "\n" }.joined()
    }

    private func lines(_ numbers: ClosedRange<Int>) -> [String] {
        numbers.map { TailLine.text($0) }
    }

    @Test(arguments: [false, true])
    func `a hole behind the position is not noticed`(isRestarted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...3000))
            #expect(try scene.read().count == 3000)

            for (size, next) in [(8192, 3001), (65536, 3011)] {
                try Hole.punch(scene.path, bytes: size)
                if isRestarted { try scene.restart() }
                #expect(try scene.read() == [])
                try scene.append(TailLine.lines(next...next + 9))
                #expect(try scene.read() == lines(next...next + 9))
                #expect(scene.tail.generation == 0)
            }
        }
    }

    @Test func `a hole up to the last byte read is not noticed either`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...500))
            #expect(try scene.read().count == 500)

            try Hole.punch(scene.path, bytes: TailLine.lines(1...500).utf8.count - 20)
            try scene.append(TailLine.lines(501...502))
            #expect(try scene.read() == lines(501...502))
        }
    }

    @Test(arguments: [false, true])
    func `a hole beyond the position loses what was in it, and says so`(isRestarted: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let scene = TailScene(directory)
            try scene.write(TailLine.lines(1...100))
            #expect(try scene.read().count == 100)
            try scene.append(TailLine.lines(101...9000))

            try Hole.punch(scene.path, bytes: TailLine.lines(1...8000).utf8.count + 10)
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
            try Hole.punch(output, bytes: size)
            try directory.append("out.jsonl", Self.output(2001...2003))
            let after = scene.tail.read(changed: ["out.jsonl"], budget: 1 << 20, now: 2000)
            try body(scene, before, after, size)
        }
    }

    @Test func `a session's output goes on behind a hole`() async throws {
        try await withHole { _, before, after, _ in
            #expect(before.batch.items.count == 2000)
            #expect(SessionScene.topics(after.batch) == (2001...2003).map { "wave.n.\($0)" })
            #expect(after.problems == [])
        }
    }

    @Test(arguments: [true, false])
    func `the archive has what is behind the hole, and nothing of what was in it`(isStored: Bool) async throws
    {
        try await withHole { scene, before, after, size in
            let checkpoints = isStored ? after.checkpoints : before.checkpoints
            for index in stride(from: 0, to: 2000, by: 50) {
                let item = before.batch.items[index]
                let context = before.batch.contexts[Int(item.context)]
                let read = { () throws(TailError) in
                    try ArchiveReader.lines(
                        in: ArchiveReader.path(ofFile: context.file, in: scene.session), from: item.offset,
                        events: 20, context: context, checkpoint: checkpoints[context.file])
                }
                if item.offset < size {
                    #expect(throws: TailError.self) { _ = try read() }
                } else {
                    let wanted = before.batch.items[index..<index + 20]
                    let again = SessionScene.topics(try read())
                    #expect(again == wanted.map { before.batch.text($0.topic) })
                }
            }
        }
    }

    @Test func `a session that is first seen with a hole begins behind it`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("out.jsonl", Self.output(1...2000))
            try Hole.punch(path, bytes: Self.output(1...1990).utf8.count + 3)
            let scene = try SessionScene(directory, agentOutput: [path])

            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            #expect(SessionScene.topics(read.batch) == (1992...2000).map { "wave.n.\($0)" })
        }
    }
}
