import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

/// A worktree starts with copies of the main workspace's files (contract 1.2).
@Suite(.timeLimit(.minutes(1)))
struct WorktreeTailTests {
    private let tree = ".worktrees/fair-rose"

    private func withScene(_ body: (TemporaryDirectory, SessionScene) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(".ralph/" + SessionScene.run1, TailLine.lines(1...1))
            try directory.write(".ralph/current-loop-id", "primary-1")
            try directory.write(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(1...1))
            try directory.write(tree + "/.ralph/current-loop-id", "primary-1")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run1)
            try body(directory, SessionScene(directory, workspace: "/" + tree, worktreeOf: ""))
        }
    }

    @Test func `copies of the main workspace's files are not read`() async throws {
        try await withScene { directory, scene in
            #expect(scene.read() == [])

            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run2)
            try directory.write(tree + "/.ralph/" + SessionScene.run2, TailLine.lines(2...2))
            #expect(scene.read() == TailLine.topics(2...2))
        }
    }

    @Test func `while the main workspace's files cannot be looked at only its own loop's are read`()
        async throws
    {
        try await withScene { directory, scene in
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run2)
            try directory.write(tree + "/.ralph/" + SessionScene.run2, TailLine.lines(2...2))
            let main = directory.path + "/.ralph"
            try #require(chmod(main, 0) == 0)
            defer { chmod(main, 0o700) }
            withoutRights { #expect(scene.read() == TailLine.topics(2...2)) }

            try #require(chmod(main, 0o700) == 0)
            try directory.append(tree + "/.ralph/" + SessionScene.run2, TailLine.lines(3...3))
            #expect(scene.read() == TailLine.topics(3...3))
        }
    }

    @Test func `a file of the same second is the worktree's own if its loop points to it`() async throws {
        try await withScene { directory, scene in
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(2...2))

            #expect(scene.read() == TailLine.topics(2...2))
        }
    }

    /// - Parameter isSameTick: the loop began within a tick of the file system's clock.
    @Test(arguments: [false, true])
    func `what is still a copy when the worktree's loop has only written its id is not read`(
        isSameTick: Bool
    ) async throws {
        try await withScene { directory, scene in
            let pointer = tree + "/.ralph/current-events"
            let past = Date(timeIntervalSinceNow: -60)
            try FileManager.default.setAttributes(
                [.modificationDate: past], ofItemAtPath: directory.path + "/" + pointer)
            try directory.append(".ralph/" + SessionScene.run1, TailLine.lines(3...3))
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            if isSameTick {
                let id = directory.path + "/" + tree + "/.ralph/current-loop-id"
                try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: id)
            }
            #expect(scene.read() == [])

            try directory.write(pointer, ".ralph/" + SessionScene.run2)
            try directory.write(tree + "/.ralph/" + SessionScene.run2, TailLine.lines(2...2))
            #expect(scene.read() == TailLine.topics(2...2))
        }
    }

    @Test func `what its loop adds to a copy makes that the worktree's own`() async throws {
        try await withScene { directory, scene in
            let past = Date(timeIntervalSinceNow: -60)
            try FileManager.default.setAttributes(
                [.modificationDate: past],
                ofItemAtPath: directory.path + "/" + tree + "/.ralph/current-events")
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.append(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(2...2))
            #expect(scene.read() == TailLine.topics(1...2))
        }
    }

    @Test func `a run of the same second as the main one is the worktree's own by its first row`()
        async throws
    {
        try await withScene { directory, scene in
            #expect(scene.read() == [])
            try directory.write(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(2...3))
            #expect(scene.read() == TailLine.topics(2...3))
        }
    }

    @Test func `an older run of the worktree is history, though the main one's file is called the same`()
        async throws
    {
        try await withScene { directory, scene in
            let files = [("00", 9, 9), ("01", 2, 3), ("02", 4, 5)]
            for (second, first, last) in files {
                let name = "/.ralph/events-20260101-0000\(second).jsonl"
                try directory.write(tree + name, TailLine.lines(first...last))
            }
            // A copy beside what is its own.
            try directory.write(".ralph/events-20260101-000000.jsonl", TailLine.lines(9...9))
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run2)

            var topics: [String] = []
            var place = try ArchiveReader.newest(of: scene.session, numberedFrom: [:])
            while let before = place {
                let page = try ArchiveReader.page(of: scene.session, before: before, limit: 10)
                topics = SessionScene.topics(page.batch) + topics
                place = page.previous
            }
            #expect(topics == TailLine.topics(2...5))
        }
    }

    @Test(arguments: [false, true])
    func `in a worktree that is made again copies are no lines of the file that was there`(
        restarts: Bool
    ) async throws {
        try await withScene { directory, scene in
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(5...5))
            #expect(scene.read() == TailLine.topics(5...5))
            // Kept, so that its numbers are not given to the copy.
            try FileManager.default.moveItem(
                atPath: directory.path + "/" + tree, toPath: directory.path + "/old")
            #expect(scene.read() == [])
            if restarts { scene.restart() }

            try directory.write(tree + "/.ralph/" + SessionScene.run1, TailLine.lines(1...1))
            try directory.write(tree + "/.ralph/current-loop-id", "primary-1")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run1)
            #expect(scene.read() == [])
            try directory.write(tree + "/.ralph/current-loop-id", "fair-rose")
            try directory.write(tree + "/.ralph/current-events", ".ralph/" + SessionScene.run2)
            try directory.write(tree + "/.ralph/" + SessionScene.run2, TailLine.lines(6...6))
            #expect(scene.read() == TailLine.topics(6...6))
        }
    }
}
