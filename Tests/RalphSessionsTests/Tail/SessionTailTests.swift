import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct SessionTailTests {
    private let run1 = SessionScene.run1, run2 = SessionScene.run2, run3 = SessionScene.run3

    @Test func `the old run is read to its end before the new one`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...2))
            #expect(scene.read() == TailLine.topics(1...2))

            try scene.append(run1, TailLine.lines(3...3))
            try scene.write(run2, TailLine.lines(4...4))
            try scene.point(at: run2)
            #expect(scene.read(changed: ["current-events", run2]) == TailLine.topics(3...4))
        }
    }

    @Test func `the old run is read first as well while the pointer is being written`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...2))
            scene.read()

            try scene.append(run1, TailLine.lines(3...3))
            try scene.write(run2, TailLine.lines(4...4))
            try scene.write("current-events", "")
            #expect(scene.read(changed: [run1, run2]) == TailLine.topics(3...4))
        }
    }

    @Test func `a pointer may name a file that is not there yet`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)

            #expect(scene.read() == [] && scene.problems == [])
            try scene.write(run1, TailLine.lines(1...1))
            #expect(scene.read(changed: [run1]) == TailLine.topics(1...1))
        }
    }

    @Test func `an earlier run's file is still read when somebody writes to it`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...1))
            scene.read()
            try scene.point(at: run2)
            try scene.write(run2, TailLine.lines(2...2))
            scene.read()

            try scene.append(run1, TailLine.lines(3...3))
            scene.restart()
            #expect(scene.read() == TailLine.topics(3...3))
            try scene.append(run1, TailLine.lines(4...4))
            #expect(scene.read(changed: [run2]) == [])
            #expect(scene.read(changed: [run1]) == TailLine.topics(4...4))
        }
    }

    @Test func `after a restart runs that began meanwhile are read whole`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...1))
            scene.read()

            try scene.append(run1, TailLine.lines(2...2))
            try scene.write(run2, TailLine.lines(3...3))
            try scene.write(run3, TailLine.lines(4...4))
            try scene.write("events-20250101-000000.jsonl", TailLine.lines(9...9))
            try scene.point(at: run3)
            scene.restart()
            #expect(scene.read() == TailLine.topics(2...4))
        }
    }

    @Test func `an older file that comes back is no run, unless the pointer says so`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run2)
            try scene.write(run2, TailLine.lines(1...1))
            scene.read()

            try scene.write(run1, TailLine.lines(8...9))
            #expect(scene.read(changed: [run1]) == [])
            try scene.append(run2, TailLine.lines(2...2))
            #expect(scene.read() == TailLine.topics(2...2))
            try scene.point(at: run1)
            #expect(scene.read() == TailLine.topics(8...9))
        }
    }

    @Test(arguments: [false, true])
    func `what files of the archive had is not told when they are written to or pointed to`(
        restarts: Bool
    ) async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 1
            let scene = try SessionScene(directory, limits: limits)
            try scene.write("events.jsonl", TailLine.lines(1...3))
            try scene.write(run1, TailLine.lines(4...6))
            try scene.write(run2, TailLine.lines(7...9))
            try scene.point(at: run2)
            #expect(scene.read() == TailLine.topics(9...9))
            if restarts {
                scene.restart()
                #expect(scene.read() == [])
            }

            try scene.append(run1, TailLine.lines(10...10))
            #expect(scene.read(changed: [run1]) == TailLine.topics(10...10))
            try directory.remove(".ralph/current-events")
            #expect(scene.read(changed: ["current-events"]) == [])
            try scene.append("events.jsonl", TailLine.lines(11...11))
            #expect(scene.read(changed: ["events.jsonl"]) == TailLine.topics(11...11))
        }
    }

    @Test func `a file of the archive that was emptied begins at its first byte`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.firstSightLines = 1
            let scene = try SessionScene(directory, limits: limits)
            try scene.write(run1, TailLine.lines(1...3))
            try scene.write(run2, TailLine.lines(4...4))
            try scene.point(at: run2)
            scene.read()

            try scene.write(run1, TailLine.lines(5...5))
            try scene.point(at: run1)
            #expect(scene.read() == TailLine.topics(5...5))
        }
    }

    @Test func `a read that was not stored is given again`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...1))
            scene.read()
            try scene.append(run1, TailLine.lines(2...3))

            #expect(scene.read(keeps: false) == TailLine.topics(2...3))
            scene.restart()
            #expect(scene.read() == TailLine.topics(2...3))
            scene.restart()
            #expect(scene.read() == [])
        }
    }

    @Test(arguments: ["/etc/passwd", "../outside.jsonl", ".ralph/link.jsonl", "/no/such/place.jsonl"])
    func `a pointer out of the workspace is a problem and not followed`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, workspace: "/home")
            try directory.write("outside.jsonl", TailLine.lines(9...9))
            symlink(directory.path + "/outside.jsonl", scene.path("link.jsonl"))
            try directory.write("home/.ralph/" + run1, TailLine.lines(1...1))
            try directory.write("home/.ralph/current-events", text)

            #expect(scene.read() == TailLine.topics(1...1))
            #expect(scene.problems.contains { $0.contains("not in the workspace") })
        }
    }

    @Test func `a pointer may be absolute and name a file beside the session directory`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try directory.write("logs/mine.jsonl", TailLine.lines(1...1))
            try directory.write(".ralph/current-events", directory.path + "/logs/mine.jsonl\n")

            #expect(scene.read() == TailLine.topics(1...1))
            #expect(scene.saved?.checkpoints.keys.sorted() == ["../logs/mine.jsonl"])
            try directory.append("logs/mine.jsonl", TailLine.lines(2...2))
            scene.restart()
            #expect(scene.read() == TailLine.topics(2...2))
        }
    }

    @Test func `a pointer may name a file that is called as output of a run is here`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            let name = "agent:x.jsonl"
            try scene.write(name, TailLine.lines(1...1))
            try scene.point(at: name)

            #expect(scene.read() == TailLine.topics(1...1) && scene.problems == [])
            try scene.append(name, TailLine.lines(2...2))
            #expect(scene.read(changed: [name], isGrowth: true) == TailLine.topics(2...2))
            try scene.append(name, TailLine.lines(3...3))
            scene.restart()
            #expect(scene.read() == TailLine.topics(3...3))
            let file = try #require(scene.last?.batch.contexts.first?.file)
            #expect(ArchiveReader.path(ofFile: file, in: scene.session) == scene.path(name))
        }
    }

    @Test func `a pointer that is being written changes nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, TailLine.lines(1...1))
            scene.read()

            try directory.write(".ralph/current-events", "")
            try scene.append(run1, TailLine.lines(2...2))
            #expect(scene.read() == TailLine.topics(2...2))
            #expect(scene.problems == [])
        }
    }

    @Test(arguments: [
        (SessionDirectory.Layout.ralph, "events.jsonl"), (.agent, "events.jsonl"), (.nested, "events.jsonl"),
        (.nested, "session.jsonl"), (.ralph, SessionScene.run2),
    ])
    func `without a pointer the layout says which file it is`(
        layout: SessionDirectory.Layout, name: String
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, layout: layout)
            let text = TailLine.lines(1...1)
            try text.write(toFile: scene.path(name), atomically: false, encoding: .utf8)

            #expect(scene.read() == TailLine.topics(1...1))
        }
    }

    @Test(arguments: [["events.jsonl", "session.jsonl"], ["session.jsonl", "events.jsonl"]])
    func `of a nested session both files are followed, whichever comes first`(names: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, layout: .nested)
            try Data(TailLine.lines(1...1).utf8).write(to: URL(fileURLWithPath: scene.path(names[0])))
            #expect(scene.read() == TailLine.topics(1...1))
            try Data(TailLine.lines(2...2).utf8).write(to: URL(fileURLWithPath: scene.path(names[1])))
            #expect(scene.read() == TailLine.topics(2...2))
        }
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory, layout: .nested)
            for (number, name) in names.enumerated() {
                let line = TailLine.lines(number...number)
                try Data(line.utf8).write(to: URL(fileURLWithPath: scene.path(name)))
            }
            #expect(Set(scene.read()) == Set(TailLine.topics(0...1)))
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scene.path("events.jsonl")))
            try file.seekToEnd()
            try file.write(contentsOf: Data(TailLine.lines(2...2).utf8))
            try file.close()
            #expect(scene.read() == TailLine.topics(2...2))
        }
    }

    @Test func `of tiny objects no more is made at once than of others`() async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.point(at: run1)
            try scene.write(run1, "")
            _ = scene.tail.read(changed: nil, budget: 2 << 20, now: 1)
            try scene.write(run1, String(repeating: "{}\n", count: 700_000))
            var (count, largest) = (0, 0)
            var hasMore = true
            while hasMore {
                let read = scene.tail.read(changed: nil, budget: 2 << 20, now: 1)
                count += read.batch.count
                largest = max(largest, read.batch.bytes.count)
                hasMore = read.hasMore && read.batch.count > 0
            }
            #expect(count >= 700_000 && largest < 40 << 20, "\(count) \(largest)")
        }
    }

    @Test func `a small budget gives everything in order and says that there is more`() async throws {
        try await withTemporaryDirectory { directory in
            var limits = TailLimits()
            limits.readBytes = 100
            let scene = try SessionScene(directory, limits: limits)
            try scene.point(at: run2)
            try scene.write(run1, TailLine.lines(1...50))
            try scene.write(run2, TailLine.lines(51...99))

            let first = scene.tail.read(changed: nil, budget: 200, now: 1)
            #expect(first.hasMore && (1..<20).contains(first.batch.count))
            let rest = scene.read(budget: 200)
            #expect(SessionScene.topics(first.batch) + rest == TailLine.topics(1...99))
        }
    }
    @Test(arguments: [(EventOrigin.agent, Int64(2_000)), (.engine, 1_000), (.user, 1_000)])
    func `the newest row of an earlier life is remembered with the bound of its kind`(
        origin: EventOrigin, expected: Int64
    ) async throws {
        try await withTemporaryDirectory { directory in
            let scene = try SessionScene(directory)
            try scene.write(run1, TailLine.lines(1...1))
            let old = Date(timeIntervalSince1970: 1_000)
            try FileManager.default.setAttributes(
                [.modificationDate: old], ofItemAtPath: scene.path(run1))
            scene.read()
            scene.saved?.state = nil
            scene.saved?.newestRow = SavedTail.Row(time: 9_000_000, origin: origin)
            scene.now = 2_000_000 - 10
            scene.restart()
            scene.read()

            #expect(scene.last?.state.lastEventAt == expected * 1000)
        }
    }
}
