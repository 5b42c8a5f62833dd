import Foundation
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ProcessHandleTests {
    @Test func `the end of a process that is no child is seen`() async throws {
        try await withChildren { directory, start in
            _ = try start("sleep 60 & echo $! > pid; wait", [:])
            let pid = try await directory.pid("pid")
            let identity = try #require(ProcessIdentity(pid: pid))
            let handle = try #require(ProcessHandle(identity))

            #expect(await !handle.waitForExit(until: .now + .milliseconds(30)))
            #expect(handle.signal(SIGTERM))

            #expect(await handle.waitForExit(until: .now + .seconds(10)))
            #expect(!handle.signal(SIGTERM))
            #expect(handle.reap() == nil)
        }
    }

    private static let ends: [(String, Int32?, Int32?)] = [
        ("exit 0", 0, nil), ("exit 255", 255, nil), ("kill -9 $$", nil, SIGKILL),
    ]

    @Test(arguments: ends)
    func `how a child ended is told once`(script: String, code: Int32?, signal: Int32?) async throws {
        try await withChildren { _, start in
            let child = try start(script, [:])

            #expect(await child.handle.waitForExit(until: .now + .seconds(10)))

            let exit = try #require(child.handle.reap())
            #expect(exit.code == code)
            #expect(exit.signal == signal)
            #expect(child.handle.reap() == nil)
        }
    }

    @Test func `a child that runs is not reaped`() async throws {
        try await withChildren { _, start in
            let child = try start("exec sleep 60", [:])

            #expect(child.handle.reap() == nil)
            #expect(child.identity.isAlive)
        }
    }

    @Test func `a cancelled wait ends at once`() async throws {
        try await withChildren { _, start in
            let handle = try start("exec sleep 60", [:]).handle

            let isOver = await withTaskGroup(of: Bool.self) { group in
                group.addTask { await handle.waitForExit(until: .now + .seconds(600)) }
                group.cancelAll()
                return await group.next()
            }

            #expect(isOver == false)
        }
    }

    @Test func `a handle closes its descriptor`() async throws {
        let own = try #require(ProcessIdentity(pid: getpid()))
        let count = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try count()

        for _ in 0..<200 { _ = ProcessHandle(own) }

        #expect(try count() <= before + 5)
    }
}
