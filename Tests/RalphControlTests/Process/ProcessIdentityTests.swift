import Foundation
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphControl
@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct ProcessIdentityTests {
    @Test func `this process is itself and alive`() throws {
        let own = try #require(ProcessIdentity(pid: getpid()))

        #expect(own.isAlive)
        #expect(own.uid == getuid())
        #expect(own.commandLine == CommandLine.arguments)
        #expect(!own.bootID.isEmpty)
        #expect(ProcessIdentity(pid: getpid()) == own)
    }

    @Test(arguments: [0, -1, -7, Int32.max]) func `numbers of no process are none`(pid: Int32) {
        #expect(ProcessIdentity(pid: pid) == nil)
        #expect(ProcessHandle(ProcessIdentity(pid: pid, startTicks: 0, bootID: "")) == nil)
    }

    @Test func `a number that was given anew is another process`() throws {
        let own = try #require(ProcessIdentity(pid: getpid()))
        let earlier = ProcessIdentity(pid: own.pid, startTicks: own.startTicks - 1, bootID: own.bootID)
        let otherBoot = ProcessIdentity(pid: own.pid, startTicks: own.startTicks, bootID: "0-0")

        for stranger in [earlier, otherBoot] {
            #expect(!stranger.isAlive)
            #expect(stranger.uid == nil)
            #expect(stranger.commandLine == nil)
            #expect(ProcessHandle(stranger) == nil)
        }
    }

    @Test func `a process that cannot be looked at is not told as ended`() async throws {
        try await withChildren { directory, start in
            let child = try start("exec sleep 60", [:])
            let gone = ProcessIdentity(pid: Int32.max, startTicks: 1, bootID: child.identity.bootID)

            withoutDescriptors {
                #expect(child.identity.isAlive)
                #expect(!gone.isAlive)
                #expect(RunningProcess(pid: child.pid)?.canHaveStarted(by: WallClock.milliseconds()) == true)
                #expect(RunningProcess(pid: Int32.max) == nil)
            }
            child.handle.signal(SIGKILL)
            try await eventually(within: .seconds(10)) { !child.identity.isAlive }
        }
    }

    @Test func `a zombie is dead, and can be reaped`() async throws {
        try await withChildren { directory, start in
            let child = try start("exit 7", [:])
            try await eventually(within: .seconds(10)) { ProcessIdentity(pid: child.pid) == nil }

            #expect(kill(child.pid, 0) == 0)
            #expect(!child.identity.isAlive)
            #expect(child.handle.isOver)
            #expect(!child.handle.signal(SIGTERM))
            #expect(ProcessTree().processes[child.pid] == nil)
            let handle = try #require(ProcessHandle(child.identity))
            #expect(handle.reap()?.code == 7)
            #expect(handle.reap() == nil)
            #expect(ProcessHandle(child.identity) == nil)
        }
    }
}
