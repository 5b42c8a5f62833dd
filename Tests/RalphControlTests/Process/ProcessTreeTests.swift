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

    /// Makes the program `other/ralph`, a run in a workspace of its own, with an agent and with a child that has lost its
    /// parent.
    private func makeRun(in directory: TemporaryDirectory, name: String = "ralph") throws {
        let script = """
            #!/bin/sh
            (sleep 60 & echo $! > ../lost)
            setsid sleep 60 & echo $! > ../below
            echo $$ > ../run
            wait

            """
        _ = chmod(try directory.write("other/" + name, script), 0o755)
    }

    /// The number of the run's agent, once that has a group of its own.
    private func agentBelow(_ directory: TemporaryDirectory) async throws -> Int32 {
        let below = try await directory.pid("below")
        try await eventually(within: .seconds(10), "a group") {
            ProcessTree().processes[below]?.group == below
        }
        return below
    }

    @Test func `the groups of a run that an agent started elsewhere are not its ralph's`() async throws {
        try await withChildren { directory, start in
            try makeRun(in: directory)
            let family = "setsid sh -c 'cd other; setsid ./ralph run & wait' & echo $! > agent; wait"
            let ralph = try start(family, [:])
            let (agent, run) = (try await directory.pid("agent"), try await directory.pid("run"))
            let (lost, below) = (try await directory.pid("lost"), try await agentBelow(directory))
            let here = SessionDirectory(workspace: directory.path)
            let other = SessionDirectory(workspace: directory.path + "/other")

            let tree = ProcessTree()
            let all = tree.agentGroups(of: ralph.identity)
            #expect(all.map(\.id) == [agent, run, below].sorted())
            #expect(all.contains { $0.id == run && $0.members.contains { $0.pid == lost } })
            #expect(tree.agentGroups(of: ralph.identity, in: here).map(\.id) == [agent])
            // What is only called so and works in the workspace is an agent.
            #expect(tree.agentGroups(of: ralph.identity, in: other) == all)

            // As it was seen before it had a group of its own.
            let both = [agent, run].compactMap { ProcessIdentity(pid: $0) }
            let left = tree.withoutRuns(
                elsewhereThan: here, below: ralph.identity, [ProcessGroup(id: agent, members: both)])
            #expect(left.map { $0.members.map(\.pid) } == [[agent]])
        }
    }

    @Test func `what is only called like ralph is part of the agent wherever it works`() async throws {
        try await withChildren { directory, start in
            try makeRun(in: directory, name: "ralph-ui")
            let ralph = try start(
                "setsid sh -c 'cd other; setsid ./ralph-ui run & wait' & echo $! > agent; wait", [:])
            let run = try await directory.pid("run")
            let below = try await agentBelow(directory)

            let groups = ProcessTree().agentGroups(
                of: ralph.identity, in: SessionDirectory(workspace: directory.path))
            #expect(Set(groups.map(\.id)).isSuperset(of: [run, below]))
        }
    }

    /// - Parameter line: a command line, in a directory with a pipe called `ralph`, for whose other end it waits.
    @Test(arguments: [("cat ralph run", false), ("sh ./ralph run", true)])
    func `what was only given a file called ralph is part of the agent wherever it works`(
        _ line: String, _ isRun: Bool
    ) async throws {
        try await withChildren { directory, start in
            let place = directory.path + "/other"
            try directory.write("other/file", "")
            try #require(mkfifo(place + "/ralph", 0o600) == 0)
            let agentLine = "cd other; setsid \(line) & echo $! > ../run; wait"
            let family = "setsid sh -c '\(agentLine)' & echo $! > agent; wait"
            let ralph = try start(family, [:])
            let (agent, run) = (try await directory.pid("agent"), try await directory.pid("run"))
            let words = line.split(separator: " ").map(String.init)
            try await eventually(within: .seconds(10), "its command line") {
                ProcessIdentity(pid: run)?.commandLine == words
            }

            let groups = ProcessTree().agentGroups(
                of: ralph.identity, in: SessionDirectory(workspace: directory.path))
            #expect(groups.map(\.id) == (isRun ? [agent] : [agent, run].sorted()))
        }
    }

    @Test func `a run elsewhere that shares the group of its agent ends with it`() async throws {
        try await withChildren { directory, start in
            try makeRun(in: directory)
            let ralph = try start("setsid sh -c 'cd other; ./ralph run & wait' & echo $! > agent; wait", [:])
            let (agent, run) = (try await directory.pid("agent"), try await directory.pid("run"))
            let below = try await agentBelow(directory)

            let tree = ProcessTree()
            let groups = tree.agentGroups(of: ralph.identity, in: SessionDirectory(workspace: directory.path))
            #expect(groups.map(\.id) == [agent, below].sorted())
            #expect(groups.contains { $0.id == agent && $0.members.contains { $0.pid == run } })
        }
    }

    @Test func `what ralph itself has started is its agent, whatever its name and wherever it works`()
        async throws
    {
        try await withChildren { directory, start in
            try makeRun(in: directory)
            let ralph = try start("(cd other && exec setsid ./ralph run) & wait", [:])
            let run = try await directory.pid("run")

            let tree = ProcessTree()
            #expect(tree.processes[run]?.parent == ralph.pid)
            let groups = tree.agentGroups(of: ralph.identity, in: SessionDirectory(workspace: directory.path))
            #expect(groups.contains { $0.id == run })
        }
    }

    @Test(arguments: [("ralph", true), ("ralph", false), ("ralph-ui", true)])
    func `a loop that an agent started where it works is spared if it is registered`(
        _ name: String, _ isRegistered: Bool
    ) async throws {
        try await withChildren { directory, start in
            let script = try directory.write(name, "#!/bin/sh\necho $$ > run\nsleep 60 & wait\n")
            _ = chmod(script, 0o755)
            let family = "setsid sh -c 'setsid ./\(name) run & wait' & echo $! > agent; wait"
            let ralph = try start(family, [:])
            let (agent, run) = (try await directory.pid("agent"), try await directory.pid("run"))
            let worktree = directory.path + "/.worktrees/calm-otter"
            let loop = #"{"id":"calm-otter","pid":\#(run),"workspace":"\#(worktree)"}"#
            if isRegistered { try directory.write(".ralph/loops.json", #"{"loops":[\#(loop)]}"#) }

            let tree = ProcessTree()
            let groups = tree.agentGroups(of: ralph.identity, in: SessionDirectory(workspace: directory.path))
            let isSpared = name == "ralph" && isRegistered
            #expect(groups.map(\.id) == (isSpared ? [agent] : [agent, run].sorted()))
            // Its own session has it as any other agent's.
            let own = tree.agentGroups(of: ralph.identity, in: SessionDirectory(workspace: worktree))
            #expect(own.map(\.id) == [agent, run].sorted())
        }
    }
}
