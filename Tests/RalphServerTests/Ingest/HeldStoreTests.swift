import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer

/// A store that somebody else holds, so that nothing can be read of it for a while.
@Suite(.timeLimit(.minutes(2)))
struct HeldStoreTests {
    /// The locks that readers of a store take (SQLite's `os_unix.c` and `wal.c`), held as another program would.
    private struct ReaderLocks {
        private static let bytes: Range<Int> = 123..<128
        /// `F_OFD_SETLK` (fcntl(2)): also against this process, whose readers they are.
        private static let setting: Int32 = 37
        private let file: FileHandle

        init(store: String) throws {
            file = try #require(FileHandle(forUpdatingAtPath: store + "-shm"))
        }

        func take() -> Bool { set(F_WRLCK) }

        func leave() { _ = set(F_UNLCK) }

        private func set(_ kind: Int32) -> Bool {
            var lock = flock()
            lock.l_type = Int16(kind)
            lock.l_whence = Int16(SEEK_SET)
            lock.l_start = off_t(Self.bytes.lowerBound)
            lock.l_len = off_t(Self.bytes.count)
            return fcntl(file.fileDescriptor, Self.setting, &lock) == 0
        }
    }

    @Test func `what was read of a session is not read again when its store can be read again`() async throws
    {
        try await withIngest { scene in
            let row = #"{"payload":"x","topic":"a.b","ts":"2026-01-01T00:00:00Z"}"# + "\n"
            try scene.write("p", "events.jsonl", row)
            try await eventually(within: .seconds(10), "the first row") {
                try scene.topics("p") == ["a.b"]
            }
            let (home, away) = (scene.directory.path + "/r/p", scene.directory.path + "/away")
            try FileManager.default.moveItem(atPath: home, toPath: away)
            try await eventually(within: .seconds(20), "its end") {
                scene.catalogue.entry(scene.id("p"))?.isGone == true
            }
            let locks = try ReaderLocks(store: scene.directory.path + "/.state/feed.sqlite")
            defer { locks.leave() }
            try await eventually(within: .seconds(10), "the locks") { locks.take() }

            try FileManager.default.moveItem(atPath: away, toPath: home)
            try await eventually(within: .seconds(40), "the problem") { scene.catalogue.storeProblem != nil }
            try scene.append("p", row.replacing("a.b", with: "a.c"))
            locks.leave()

            try await eventually(within: .seconds(30), "the second row") {
                try scene.topics("p").filter { $0.hasPrefix("a.") } == ["a.b", "a.c"]
            }
            #expect(scene.catalogue.storeProblem == nil)
            #expect(scene.catalogue.entry(scene.id("p"))?.isGone == false)
        }
    }
}
