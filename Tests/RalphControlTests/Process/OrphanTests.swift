import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

@Suite(.timeLimit(.minutes(1))) struct OrphanTests {
    private func orphans(_ directory: TemporaryDirectory) -> [Int32] {
        ProcessTree().orphans(of: SessionDirectory(workspace: directory.path)).flatMap {
            $0.members.map(\.pid)
        }
        .sorted()
    }

    @Test(arguments: ["RALPH_WORKSPACE_ROOT=.", "RALPH_EVENTS_FILE=.ralph/events-20260622-213309.jsonl"])
    func `an agent without its ralph is an orphan, with all below it`(mark: String) async throws {
        try await withChildren { directory, start in
            let words = mark.split(separator: "=").map(String.init)
            let value = words[1] == "." ? directory.path : directory.path + "/" + words[1]
            let agent = try start("env -i /bin/sleep 60 & echo $! > pid; wait", [words[0]: value])
            let below = try await directory.pid("pid")
            let unmarked = try start("exec sleep 60", [:])

            try await eventually(within: .seconds(10)) { orphans(directory) == [agent.pid, below].sorted() }
            #expect(unmarked.identity.isAlive)
        }
    }

    @Test func `an agent of another workspace is none`() async throws {
        try await withChildren { directory, start in
            _ = try start("exec sleep 60", ["RALPH_WORKSPACE_ROOT": directory.path + "/other"])
            _ = try start("exec sleep 60", ["RALPH_EVENTS_FILE": directory.path + "/x/.ralph/events.jsonl"])

            #expect(orphans(directory).isEmpty)
        }
    }

    @Test func `an agent of a workspace whose name looks the same is that one's`() async throws {
        try await withChildren { directory, start in
            let names = ["caf\u{E9}", "cafe\u{301}"].map { directory.path + "/" + $0 }
            let marks = [("RALPH_WORKSPACE_ROOT", ""), ("RALPH_EVENTS_FILE", "/.ralph/events-1.jsonl")]
            for (key, rest) in marks {
                let agents = try names.map { try start("exec sleep 60", [key: $0 + rest]) }
                for (name, agent) in zip(names, agents) {
                    try await eventually(within: .seconds(10)) {
                        ProcessTree().orphans(of: SessionDirectory(workspace: name))
                            .flatMap { $0.members.map(\.pid) } == [agent.pid]
                    }
                }
                for agent in agents {
                    agent.handle.signal(SIGKILL)
                    #expect(await agent.handle.waitForExit(until: .now + .seconds(10)))
                }
            }
        }
    }

    @Test func `an agent whose ralph holds the lock is none until that has died`() async throws {
        try await withChildren { directory, start in
            try directory.write(".ralph/loop.lock", "")
            let agent = "RALPH_WORKSPACE_ROOT=$PWD setsid sleep 60 & echo $! > pid; wait"
            let ralph = try start("exec flock -F -n .ralph/loop.lock sh -c '\(agent)'", [:])
            let pid = try await directory.pid("pid")
            let identity = try #require(ProcessIdentity(pid: pid))
            try await eventually(within: .seconds(10)) {
                identity.commandLine?.first == "sleep"
            }
            #expect(orphans(directory).isEmpty)

            ralph.handle.signal(SIGKILL)
            #expect(await ralph.handle.waitForExit(until: .now + .seconds(10)))

            #expect(orphans(directory) == [pid])
            for group in ProcessTree().orphans(of: SessionDirectory(workspace: directory.path)) {
                group.signal(SIGKILL)
            }
            try await eventually(within: .seconds(10)) { !identity.isAlive }
        }
    }

    @Test func `a ralph that an agent started elsewhere is none, nor is what is below it`() async throws {
        try await withChildren { directory, start in
            let ralph = try directory.write("other/ralph", "#!/bin/sh\nsleep 60 & wait\n")
            _ = chmod(ralph, 0o755)
            let run = try start(
                "cd other && exec ./ralph run --rpc", ["RALPH_WORKSPACE_ROOT": directory.path])
            try await eventually(within: .seconds(10)) {
                ProcessTree().statuses(below: run.identity).contains { $0.name == "sleep" }
            }

            #expect(orphans(directory).isEmpty)
        }
    }

    @Test func `an agent whose name is like ralph's is an orphan where it works`() async throws {
        try await withChildren { directory, start in
            let agent = try directory.write("ralph-agent", "#!/bin/sh\nsleep 60 & wait\n")
            _ = chmod(agent, 0o755)
            let run = try start("exec ./ralph-agent run", ["RALPH_WORKSPACE_ROOT": directory.path])
            try await eventually(within: .seconds(10)) { orphans(directory).contains(run.pid) }
        }
    }

    @Test func `a run that an agent started elsewhere is not remembered as an agent`() async throws {
        try await withChildren { directory, start in
            let ralph = try directory.write("other/ralph", "#!/bin/sh\necho $$ > ../pid; sleep 60 & wait\n")
            _ = chmod(ralph, 0o755)
            let agent = try start("cd other && setsid ./ralph run --rpc & wait", [:])
            let pid = try await directory.pid("pid")
            let tree = ProcessTree()
            let groups = tree.agentGroups(of: agent.identity)
            #expect(groups.contains { $0.members.contains { $0.pid == pid } })

            let (here, other) = (directory.path, directory.path + "/other")
            #expect(
                tree.withoutRuns(elsewhereThan: SessionDirectory(workspace: here), below: nil, groups).isEmpty
            )
            #expect(
                tree.withoutRuns(elsewhereThan: SessionDirectory(workspace: other), below: nil, groups)
                    == groups)
            for group in groups { group.signal(SIGKILL) }
        }
    }

    @Test func `an agent below a ralph whose lock is not seen is none`() async throws {
        try await withChildren { directory, start in
            let ralph = try directory.write("ralph", "#!/bin/sh\nRALPH_WORKSPACE_ROOT=$PWD sleep 60 & wait\n")
            _ = chmod(ralph, 0o755)
            let run = try start("exec ./ralph run --rpc", [:])
            try await eventually(within: .seconds(10)) {
                ProcessTree().statuses(below: run.identity).contains { $0.name == "sleep" }
            }

            #expect(orphans(directory).isEmpty)
        }
    }
}
