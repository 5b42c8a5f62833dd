import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct ProcessTreeTests {
    /// A run with an agent in a group of its own and a hook in that of the run.
    private static let family =
        "setsid sh -c 'sleep 60 & echo $! > deep; wait' & echo $! > agent; sleep 61 & echo $! > hook; wait"

    @Test func `everything below a process is found, with its groups`() async throws {
        try await withChildren { directory, start in
            let ralph = try start(Self.family, [:])
            let deep = try await directory.pid("deep")
            let agent = try await directory.pid("agent")
            let hook = try await directory.pid("hook")

            let tree = ProcessTree()
            let below = tree.statuses(below: ralph.identity)

            #expect(Set(below.map(\.pid)) == [agent, hook, deep])
            #expect(below.allSatisfy { $0.name == "sh" || $0.name == "sleep" })
            #expect(below.allSatisfy { ProcessIdentity($0).uid == getuid() })
            #expect(below.first { $0.pid == deep }?.parent == agent)
            let groups = tree.agentGroups(of: ralph.identity)
            #expect(groups.map(\.id) == [agent])
            #expect(groups.first?.members.map(\.pid).sorted() == [agent, deep].sorted())
            #expect(tree.ownGroup(of: ralph.identity)?.members.map(\.pid) == [ralph.pid, hook])
        }
    }

    @Test func `nothing is below a process that is another by now`() throws {
        let own = try #require(ProcessIdentity(pid: getpid()))
        let stranger = ProcessIdentity(pid: own.pid, startTicks: 1, bootID: own.bootID)

        #expect(ProcessTree().statuses(below: stranger).isEmpty)
        #expect(ProcessTree().agentGroups(of: stranger).isEmpty)
        #expect(ProcessTree().ownGroup(of: stranger) == nil)
    }

    @Test func `a process is found by a word of its command line`() async throws {
        try await withChildren { directory, start in
            let word = directory.path + "/ralph.yml"
            let child = try start("sh -c 'sleep 60; :' run -c \(word) & echo $! > pid; wait", [:])
            let pid = try await directory.pid("pid")

            try await eventually(within: .seconds(10)) {
                ProcessTree().processes(withArgument: word).map(\.pid) == [pid]
            }
            #expect(ProcessTree().processes(withArgument: word + "x").isEmpty)
            #expect(child.identity.isAlive)
        }
    }

    @Test func `a group has its members that lost their parent`() async throws {
        try await withChildren { directory, start in
            let family = """
                setsid sh -c '(env -i sleep 62 & echo $! > lost); sleep 60' & echo $! > agent
                wait
                """
            let ralph = try start(family, [:])
            let (agent, lost) = (try await directory.pid("agent"), try await directory.pid("lost"))
            defer { kill(lost, SIGKILL) }
            try await eventually(within: .seconds(10), "a new parent") {
                ProcessTree().processes[lost].map { $0.parent != agent } == true
            }

            let groups = ProcessTree().agentGroups(of: ralph.identity)
            #expect(groups.map(\.id) == [agent])
            #expect(groups.first?.members.contains { $0.pid == lost } == true)
        }
    }
}
