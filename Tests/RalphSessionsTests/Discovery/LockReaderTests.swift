import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)), .enabled(if: FileManager.default.fileExists(atPath: "/proc/locks")))
struct LockReaderTests {
    @Test func `what was locked before it was asked is told, once`() async throws {
        try await withTemporaryDirectory { directory in
            let wakeup = try WatchWakeup()
            let reader = LockReader()
            try directory.write("lock", "")
            let path = directory.path + "/lock"
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            let status = try #require(EntryStatus(at: path))

            #expect(reader.take()?.locks == nil)
            #expect(reader.ask(wakeup))
            #expect(!reader.ask(wakeup))
            var ready = pollfd(fd: wakeup.readDescriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&ready, 1, 10_000) == 1)
            let locks = try #require(reader.take()).locks
            let holder = locks?.holder(device: status.device, inode: status.inode, expected: getpid())

            #expect(holder?.pid == getpid())
            #expect(reader.take()?.locks == nil)
            #expect(reader.ask(wakeup))
        }
    }
}
