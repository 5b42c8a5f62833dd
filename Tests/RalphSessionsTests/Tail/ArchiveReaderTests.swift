import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct ArchiveReaderTests {
    private let run1 = SessionScene.run1, run2 = SessionScene.run2, run3 = SessionScene.run3

    private static func limits(lines: Int) -> TailLimits {
        var limits = TailLimits()
        limits.firstSightLines = lines
        limits.readBytes = 100
        limits.maximumLineBytes = 300
        return limits
    }

    /// Every page before `place`, oldest first.
    private func history(
        _ scene: SessionScene, numberedFrom: [String: Int64], limit: Int
    ) throws -> [String] {
        var topics: [String] = []
        var next = try ArchiveReader.newest(of: scene.session, numberedFrom: numberedFrom)
        while let place = next {
            let again = try #require(ArchivePlace(text: place.text))
            let page = try ArchiveReader.page(
                of: scene.session, before: again, limit: limit, numberedFrom: numberedFrom,
                limits: scene.limits)
            topics = SessionScene.topics(page.batch) + topics
            next = page.previous
        }
        return topics
    }

    @Test(arguments: [1, 2, 7, 1000])
    func `history goes back to the first line of the first run`(limit: Int) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 5))
            let glued = TailLine.text(4) + TailLine.text(5) + "\n\n"
            let long = String(repeating: "x", count: 9000) + "\n"
            try scene.write("events.jsonl", TailLine.lines(1...3) + "\n\n" + glued)
            try scene.write(run1, "")
            try scene.write(run2, TailLine.lines(6...20) + long + TailLine.lines(21...30) + TailLine.text(31))
            try scene.write(run3, "\n" + TailLine.lines(32...60))
            try scene.point(at: run3)
            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            let first = try #require(read.batch.items.first { $0.origin == .engine })

            #expect(read.batch.text(first.topic) == "n.56")
            let numbered = [run3: first.offset]
            #expect(try history(scene, numberedFrom: numbered, limit: limit) == TailLine.topics(1...55))
        }
    }

    @Test func `what was numbered since a page is not given again as what was not`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 5))
            try scene.write(run1, TailLine.lines(1...3))
            try scene.write(run2, TailLine.lines(4...20))
            let place = try #require(try ArchiveReader.newest(of: scene.session, numberedFrom: [:]))
            let topics = { (start: Int64) in
                let page = try ArchiveReader.page(
                    of: scene.session, before: place, limit: 100, numberedFrom: [run2: start])
                return SessionScene.topics(page.batch)
            }

            #expect(try topics(Int64(TailLine.lines(4...8).utf8.count)) == TailLine.topics(4...8))
            #expect(try topics(0) == TailLine.topics(1...3))
        }
    }

    @Test func `how much lay before first sight is known until the content begins anew`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = Self.limits(lines: 5)
            limits.copyRest = .zero
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...20))
            scene.read()
            let before = Int64(TailLine.lines(1...15).utf8.count)
            let sizes = { TailPosition.firstSizes(in: scene.saved?.checkpoints ?? [:]) }
            #expect(sizes() == [run1: before])

            try #require(truncate(scene.path(run1), off_t(before + 3)) == 0)
            scene.restart()
            scene.read()
            #expect(sizes() == [run1: before])

            let less = Int64(TailLine.lines(1...12).utf8.count)
            try #require(truncate(scene.path(run1), off_t(less)) == 0)
            scene.read()
            try scene.append(run1, TailLine.lines(70...80))
            scene.read()
            #expect(sizes() == [run1: less])

            try #require(truncate(scene.path(run1), 0) == 0)
            try scene.append(run1, TailLine.lines(30...60))
            scene.read()
            #expect(sizes() == [:])
        }
    }

    @Test(arguments: ["events.jsonl", SessionScene.run1])
    func `a copy that is there at first sight is not told, nor when it is made anew`(name: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            let copy = name.replacing(".jsonl", with: "-backup.jsonl")
            try scene.write(name, TailLine.lines(1...20))
            try scene.write(copy, TailLine.lines(1...15))
            #expect(scene.read() == TailLine.topics(1...20))

            try scene.append(name, TailLine.lines(21...25))
            #expect(scene.read() == TailLine.topics(21...25))
            try directory.remove(".ralph/" + copy)
            try scene.write(copy, TailLine.lines(1...25))
            #expect(scene.read() == [])
            scene.restart()
            #expect(scene.read() == [])
        }
    }

    @Test func `a file that was moved out of the way is not told again, and the new one is`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write("events.jsonl", TailLine.lines(1...20))
            #expect(scene.read() == TailLine.topics(1...20))

            try FileManager.default.moveItem(
                atPath: scene.path("events.jsonl"), toPath: scene.path("events-20260101.jsonl"))
            #expect(scene.read() == [])
            try scene.write("events.jsonl", TailLine.lines(30...32))
            #expect(scene.read() == TailLine.topics(30...32))
        }
    }

    @Test(arguments: [1, 2, 1000])
    func `history has no numbered line, and older files whatever the order of their numbers`(
        limit: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run1, TailLine.lines(1...9))
            try scene.write(run2, TailLine.lines(10...19))
            try scene.write(run3, TailLine.lines(20...29))
            let half = Int64(TailLine.lines(1...5).utf8.count)

            #expect(
                try history(scene, numberedFrom: [run1: half, run3: 0], limit: limit)
                    == TailLine.topics(1...5) + TailLine.topics(10...19))
            #expect(try history(scene, numberedFrom: [run1: 0, run2: 0, run3: 0], limit: limit) == [])
        }
    }

    @Test func `numbered lines are read again, glued ones from their middle`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 100))
            let glued = TailLine.text(3) + TailLine.text(4) + TailLine.text(5) + "\n"
            try scene.write("events.jsonl", TailLine.lines(1...2) + "\n" + glued + TailLine.lines(6...9))
            let read = scene.tail.read(changed: nil, budget: 1 << 20, now: 0)
            let items = read.batch.items.filter { $0.origin == .engine }

            for first in items.indices {
                for count in 1...(items.count - first) {
                    let again = try ArchiveReader.lines(
                        in: scene.path("events.jsonl"), from: items[first].offset, events: Int64(count),
                        context: read.batch.contexts[Int(items[first].context)],
                        checkpoint: read.checkpoints["events.jsonl"], limits: scene.limits)
                    let numbers = (first + 1)...(first + count)
                    #expect(SessionScene.topics(again) == TailLine.topics(numbers))
                    #expect(again.items.map(\.offset) == items[first..<first + count].map(\.offset))
                }
            }
        }
    }

    @Test(arguments: [0, 3000])
    func `a last line without LF that has a number is read again`(zeros: Int) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, limits: Self.limits(lines: 100))
            let away = scene.path("away")
            let last = TailLine.text(3) + TailLine.text(4)
            try scene.write(run1, TailLine.lines(1...2) + String(repeating: "\0", count: zeros) + last)
            #expect(scene.read() == TailLine.topics(1...2))
            try #require(rename(scene.path(run1), away) == 0)
            #expect(scene.read() == TailLine.topics(3...4))
            try #require(rename(away, scene.path(run1)) == 0)
            #expect(scene.read() == [])

            let lines = { (count: Int64, skipped: Int) in
                try SessionScene.topics(
                    ArchiveReader.lines(
                        in: scene.path(self.run1), from: 0, events: count,
                        context: EventBatch.Context(file: self.run1, generation: 0, iteration: 0, hat: ""),
                        skipped: skipped, checkpoint: scene.saved?.checkpoints[self.run1],
                        limits: scene.limits))
            }
            #expect(try lines(2, 0) == TailLine.topics(1...2))
            #expect(try lines(3, 0) == TailLine.topics(1...3))
            #expect(try lines(4, 0) == TailLine.topics(1...4))
            #expect(try lines(4, 3) == TailLine.topics(4...4))
            #expect(throws: TailError.self) { try lines(5, 0) }

            try scene.append(run1, "\n" + TailLine.lines(5...5) + TailLine.text(6).dropLast())
            #expect(scene.read() == TailLine.topics(5...5))
            #expect(try lines(5, 1) == TailLine.topics(2...5))
            #expect(throws: TailError.self) { try lines(6, 0) }
        }
    }

    @Test func `what is no longer the same file is refused`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run1, TailLine.lines(1...9))
            let checkpoint = scene.tail.read(changed: nil, budget: 1 << 20, now: 0).checkpoints[run1]
            let place = try #require(
                try ArchiveReader.newest(of: scene.session, numberedFrom: [run1: 200]))
            try scene.write(run1, TailLine.lines(11...19))

            let changed = TailError.fileChanged(path: scene.path(run1))
            #expect(throws: changed) { try ArchiveReader.page(of: scene.session, before: place, limit: 5) }
            #expect(throws: changed) {
                try ArchiveReader.lines(
                    in: scene.path(run1), from: 0, events: 1,
                    context: EventBatch.Context(file: run1, generation: 0, iteration: 0, hat: ""),
                    checkpoint: checkpoint)
            }
        }
    }

    @Test func `numbered lines that were cut off are read again when they are back`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.copyRest = .zero
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...9))
            #expect(scene.read() == TailLine.topics(1...9))
            let size = TailLine.lines(1...3).utf8.count
            let lines = { () throws(TailError) in
                try ArchiveReader.lines(
                    in: scene.path(self.run1), from: Int64(size), events: 6,
                    context: EventBatch.Context(file: self.run1, generation: 0, iteration: 0, hat: ""),
                    checkpoint: scene.saved?.checkpoints[self.run1])
            }

            try #require(truncate(scene.path(run1), off_t(size)) == 0)
            #expect(scene.read() == [])
            #expect(throws: TailError.fileChanged(path: scene.path(run1))) { _ = try lines() }
            try scene.append(run1, TailLine.lines(4...10))
            #expect(scene.read() == TailLine.topics(10...10))
            #expect(SessionScene.topics(try lines()) == TailLine.topics(4...9))
        }
    }

    @Test func `more events than a file holds are refused`() async throws {
        try await withTemporaryDirectory { directory in
            let path = try directory.write("a.jsonl", TailLine.lines(1...3))
            let context = EventBatch.Context(file: "a.jsonl", generation: 0, iteration: 0, hat: "")

            #expect(throws: TailError.fileChanged(path: path)) {
                try ArchiveReader.lines(in: path, from: 0, events: 4, context: context, checkpoint: nil)
            }
        }
    }

    @Test(arguments: ["../../etc/passwd", "/etc/passwd", "../secret.jsonl", "agent:/etc/passwd", "loop.lock"])
    func `a place names events files of the session only`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try directory.write("secret.jsonl", TailLine.lines(1...1))
            try scene.write("loop.lock", "{}\n")
            let place = try #require(
                ArchivePlace(text: ArchivePlace(file: name, offset: 0, fingerprint: 0).text))

            #expect(throws: TailError.fileChanged(path: name)) {
                try ArchiveReader.page(of: scene.session, before: place, limit: 5)
            }
        }
    }

    @Test(arguments: [
        "", "v1", "v1...", "v2.0.0.YQ", "v1.-1.0.YQ", "v1.0.0.", "v1.0.0.!!", "v1.0.0.YQ==", "v1.0.0.YQ.x",
    ])
    func `what is no place is refused`(text: String) {
        #expect(ArchivePlace(text: text) == nil)
    }
}
