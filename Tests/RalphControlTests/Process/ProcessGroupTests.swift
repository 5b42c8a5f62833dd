import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ProcessGroupTests {
    private static let pair = "sleep 60 & echo $! > one; sleep 61 & echo $! > two; wait"

    private func identity(_ directory: TemporaryDirectory, _ name: String) async throws -> ProcessIdentity {
        let pid = try await directory.pid(name)
        return try #require(ProcessIdentity(pid: pid))
    }

    @Test func `a group whose leader is known gets the signal as a whole`() async throws {
        try await withChildren { directory, start in
            let leader = try start(Self.pair, [:])
            let one = try await identity(directory, "one")
            let two = try await identity(directory, "two")

            #expect(ProcessGroup(id: leader.pid, members: [leader.identity]).signal(SIGKILL))

            try await eventually(within: .seconds(10)) { !one.isAlive && !two.isAlive }
            #expect(await leader.handle.waitForExit(until: .now + .seconds(10)))
        }
    }

    @Test func `a group whose leader is a stranger is left alone but for its known members`() async throws {
        try await withChildren { directory, start in
            let leader = try start(Self.pair, [:])
            let one = try await identity(directory, "one")
            let two = try await identity(directory, "two")
            let group = ProcessGroup(id: leader.pid, members: [one])

            #expect(group.isAlive)
            #expect(group.signal(SIGKILL))

            try await eventually(within: .seconds(10)) { !group.isAlive }
            #expect(two.isAlive)
            #expect(leader.identity.isAlive)
        }
    }

    @Test func `a group whose leader has died is signalled through its other members`() async throws {
        try await withChildren { directory, start in
            _ = try start("setsid sh -c 'sleep 60 & echo $! > one; sleep 61 & echo $! > two' ; wait", [:])
            let one = try await identity(directory, "one")
            let two = try await identity(directory, "two")
            let id = try #require(one.status).group
            try await eventually(within: .seconds(10)) { ProcessIdentity(pid: id) == nil }

            #expect(ProcessGroup(id: id, members: [one]).signal(SIGKILL))

            try await eventually(within: .seconds(10)) { !one.isAlive && !two.isAlive }
        }
    }

    @Test func `a group that has a known number but only strangers gets nothing`() async throws {
        try await withChildren { directory, start in
            let child = try start("exec sleep 60", [:])
            let gone = ProcessIdentity(
                pid: child.pid, startTicks: child.identity.startTicks - 1, bootID: child.identity.bootID)

            for members in [[], [gone]] {
                let group = ProcessGroup(id: child.pid, members: members)
                #expect(!group.isAlive)
                #expect(!group.signal(SIGKILL))
            }
            #expect(child.identity.isAlive)
        }
    }

    @Test(arguments: [0, 1, -1]) func `numbers that mean many groups are signalled member by member`(
        id: Int32
    ) async throws {
        try await withChildren { directory, start in
            let child = try start("exec sleep 60", [:])
            let bystander = try start("exec sleep 60", [:])

            #expect(ProcessGroup(id: id, members: [child.identity]).signal(SIGKILL))

            #expect(await child.handle.waitForExit(until: .now + .seconds(10)))
            #expect(bystander.identity.isAlive)
        }
    }

    @Test func `this process's own group is never signalled as a whole`() throws {
        let own = try #require(ProcessIdentity(pid: getpid()))
        let group = ProcessGroup(id: getpgrp(), members: [own])

        // Signal 0 reaches what a signal would reach (kill(2)).
        #expect(group.signal(0))
        #expect(group.isAlive)
    }
}
