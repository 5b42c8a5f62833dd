import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct SessionScannerWorktreeTests {
    @Test(arguments: ["while-running", "end"])
    func `a recorded worktree loop is a session beside the main one`(moment: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("e-parallel-worktrees/" + moment, to: "p")

            let found = directory.scan { $0.depth = 1 }.sessions.map(\.facts)

            #expect(
                found.map { directory.relative($0.directory.path) } == [
                    "p/.ralph", "p/.worktrees/fair-rose/.ralph",
                ])
            #expect(found.map(\.loopID) == ["primary-20261121-031802", "fair-rose"])
            #expect(found.map(\.worktreeOf) == [nil, directory.path + "/p"])
        }
    }

    @Test func `a copy of the main session is no session of its own`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.makeWorkspace("p/.worktrees/w", run: "20260101-000000")

            #expect(directory.found() == ["p/.ralph"])
        }
    }

    @Test func `a copy stays a copy when the main workspace starts another run`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p/.worktrees/w", run: "20260101-000000")
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.makeWorkspace("p", run: "20260102-000000")

            #expect(directory.found() == ["p/.ralph"])
        }
    }

    @Test func `a run that somebody started inside a worktree is a session`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.makeWorkspace("p/.worktrees/w", run: "20260303-000000")

            #expect(directory.found() == ["p/.ralph", "p/.worktrees/w/.ralph"])
        }
    }

    @Test func `runs of the same second are told apart by their first rows`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p", run: "20260101-000000")
            for name in ["copy", "own"] {
                try directory.makeWorkspace("p/.worktrees/" + name, run: "20260101-000000")
            }
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            func found() -> [String] {
                scanner.scan().sessions.map { directory.relative($0.facts.directory.path) }
            }
            #expect(found() == ["p/.ralph"])

            let own = "p/.worktrees/own/.ralph/events-20260101-000000.jsonl"
            try directory.write(own, TemporaryDirectory.line("build.start"))
            let both = ["p/.ralph", "p/.worktrees/own/.ralph"]
            #expect(found() == both)
            // The main one goes on to another run and leaves its file.
            try directory.makeWorkspace("p", run: "20260102-000000")
            #expect(found() == both)
        }
    }

    @Test func `a run that has its lock and no row yet is a session beside the main one of the same second`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            func lock(_ second: Int) -> String {
                #"{"pid":\#(getpid()),"started":"2999-01-01T00:00:0\#(second)Z","prompt":"p"}"#
            }
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.write("p/.ralph/loop.lock", lock(1))
            for (name, second) in [("copy", 1), ("own", 2)] {
                let ralph = "p/.worktrees/\(name)/.ralph/"
                try directory.write(ralph + "current-loop-id", "primary-20260101-000000")
                try directory.write(ralph + "current-events", ".ralph/events-20260101-000000.jsonl")
                try directory.write(ralph + "loop.lock", lock(second))
            }

            #expect(directory.found() == ["p/.ralph", "p/.worktrees/own/.ralph"])
        }
    }

    @Test func `without a loop id the events files tell a copy`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.write("p/.worktrees/copy/.ralph/events-20260101-000000.jsonl", "")
            try directory.write("p/.worktrees/own/.ralph/events-20260202-000000.jsonl", "")

            #expect(directory.found() == ["p/.ralph", "p/.worktrees/own/.ralph"])
        }
    }

    @Test func `worktrees and theirs are found at the deepest level, and nothing else in them`() async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            try directory.makeWorkspace("p/.worktrees/w/sub", loop: "lone-elk")
            try directory.makeWorkspace("p/.worktrees/w/.worktrees/x", loop: "wise-owl")

            let found = directory.scan { $0.depth = 1 }.sessions.map(\.facts)

            #expect(
                found.map { directory.relative($0.directory.path) } == [
                    "p/.ralph", "p/.worktrees/w/.ralph", "p/.worktrees/w/.worktrees/x/.ralph",
                ])
            #expect(
                found.map(\.worktreeOf) == [nil, directory.path + "/p", directory.path + "/p/.worktrees/w"])
        }
    }

    @Test func `copies of copies are no sessions either`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["p", "p/.worktrees/w", "p/.worktrees/w/.worktrees/x"] {
                try directory.makeWorkspace(name)
                try directory.write(name + "/.ralph/sessions/one/session.jsonl", "1\n")
                try directory.write("q" + name.dropFirst() + "/.agent/events.jsonl", "1\n")
            }

            #expect(directory.found() == ["p/.ralph", "p/.ralph/sessions/one", "q/.agent"])
        }
    }

    @Test func `worktrees of worktrees have an end, and their links are not followed`() async throws {
        try await withTemporaryDirectory { directory in
            var path = "p"
            for level in 0..<20 {
                try directory.makeWorkspace(path, loop: "loop-\(level)")
                path += "/.worktrees/w"
            }
            try directory.link("p/.worktrees/w/.worktrees/loop", to: "../..")

            let result = directory.scan()

            #expect(result.sessions.count == 5)
            #expect(result.skippedLinks == 1)
        }
    }

    @Test func `an old Ralph's events file in a worktree is a session unless it is the main one's`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b", "c"] { try directory.makeWorkspace(name) }
            for name in ["b", "c"] { try directory.write(name + "/.agent/events.jsonl", "1\n2\n") }
            try directory.write("a/.worktrees/w/.agent/events.jsonl", "")
            try directory.write("b/.worktrees/w/.agent/events.jsonl", "1\n")
            try directory.write("b/.worktrees/x/.agent/events.jsonl", "")
            try directory.write("c/.worktrees/w/.agent/events.jsonl", "3\n")

            #expect(
                directory.found() == [
                    "a/.ralph", "a/.worktrees/w/.agent", "b/.ralph", "b/.agent", "c/.ralph", "c/.agent",
                    "c/.worktrees/w/.agent",
                ])
        }
    }

    @Test func `an old Ralph's events file beside a worktree's session is none`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            try directory.write("p/.worktrees/w/.agent/events.jsonl", "1\n")

            #expect(directory.found() == ["p/.ralph", "p/.worktrees/w/.ralph"])
        }
    }

    @Test func `a moment in which an old Ralph's file is empty changes no verdict`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/.agent/events.jsonl", "1\n2\n")
            try directory.write("p/.worktrees/copy/.agent/events.jsonl", "1\n")
            try directory.write("p/.worktrees/own/.agent/events.jsonl", "3\n")
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            func found() -> [String] {
                scanner.scan().sessions.map { directory.relative($0.facts.directory.path) }
            }
            let all = ["p/.ralph", "p/.agent", "p/.worktrees/own/.agent"]
            #expect(found() == all)

            for path in ["p/.agent", "p/.worktrees/own/.agent"] {
                try directory.write(path + "/events.jsonl", "")
                #expect(found() == all)
            }
            try directory.write("p/.worktrees/copy/.agent/events.jsonl", "4\n")
            #expect(
                found() == [
                    "p/.ralph", "p/.agent", "p/.worktrees/copy/.agent", "p/.worktrees/own/.agent",
                ])
        }
    }

    @Test func `a copied output file does not belong to the worktree`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            for name in ["p", "p/.worktrees/w"] { try directory.write(name + "/rpc-stdout.jsonl", "") }

            let outputs = directory.scan().sessions.map(\.facts.agentOutput.count)

            #expect(outputs == [1, 0])
        }
    }

    @Test func `an output file stays what it was when the main one comes or goes`() async throws {
        try await withTemporaryDirectory { directory in
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            func outputs() -> [Int] { scanner.scan().sessions.map(\.facts.agentOutput.count) }
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/copy", loop: "copy")
            for name in ["p", "p/.worktrees/copy"] { try directory.write(name + "/rpc-stdout.jsonl", "1\n") }

            #expect(outputs() == [1, 0])
            try directory.remove("p/rpc-stdout.jsonl")
            #expect(outputs() == [0, 0])
            try directory.makeWorkspace("p/.worktrees/own", loop: "own")
            try directory.write("p/.worktrees/own/rpc-stdout.jsonl", "2\n")
            #expect(outputs() == [0, 0, 1])
            try directory.write("p/rpc-stdout.jsonl", "3\n")
            #expect(outputs() == [1, 0, 1])
            for name in ["copy", "own"] {
                try directory.write("p/.worktrees/\(name)/rpc-stdout.jsonl", "44\n")
            }
            #expect(outputs() == [1, 1, 1])
        }
    }

    @Test func `an output file that names its workspace belongs to that one alone`() async throws {
        try await withTemporaryDirectory { directory in
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            func outputs() -> [Int] { scanner.scan().sessions.map(\.facts.agentOutput.count) }
            func write(_ time: Int, of workspace: String, in place: String) throws {
                let root = directory.path + "/" + workspace
                try directory.write(
                    place + "/rpc-stdout.jsonl",
                    #"{"type":"loop_started","workspace_root":"\#(root)","started_at":\#(time)}"# + "\n")
            }
            try directory.makeWorkspace("p")
            try directory.makeWorkspace("p/.worktrees/w", loop: "fair-rose")
            for place in ["p", "p/.worktrees/w"] { try write(1, of: "p", in: place) }
            #expect(outputs() == [1, 0])
            // What git brings is the main one's also when it is another.
            for place in ["p", "p/.worktrees/w"] { try write(22, of: "p", in: place) }
            #expect(outputs() == [1, 0])

            try write(333, of: "p/.worktrees/w", in: "p/.worktrees/w")

            #expect(outputs() == [1, 1])
            scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            #expect(outputs() == [1, 1])
        }
    }

    @Test func `a copied nested session does not belong to the worktree`() async throws {
        try await withTemporaryDirectory { directory in
            let (main, worktree) = ("p/.ralph/sessions/", "p/.worktrees/w/.ralph/sessions/")
            try directory.write(main + "copied/session.jsonl", "1\n")
            try directory.write(main + "other/events.jsonl", "1\n")
            try directory.write(worktree + "copied/session.jsonl", "1\n")
            try directory.write(worktree + "other/events.jsonl", "2\n")
            try directory.write(worktree + "own/session.jsonl", "")

            #expect(
                directory.found() == [
                    main + "copied", main + "other", worktree + "other", worktree + "own",
                ])
        }
    }

    @Test(arguments: [
        ["", "/p/.worktrees/w"], ["", "/p/.worktrees"], ["/p", "/p/.worktrees/w/.worktrees/x"],
    ])
    func `a copy in a root that lies in another one is none either`(roots: [String]) async throws {
        try await withTemporaryDirectory { directory in
            for name in ["p", "p/.worktrees/w", "p/.worktrees/w/.worktrees/x"] {
                try directory.makeWorkspace(name)
            }
            try directory.makeWorkspace("p/.worktrees/own", loop: "fair-rose")
            let paths = roots.map { directory.path + $0 }

            #expect(directory.found { $0.roots = paths } == ["p/.ralph", "p/.worktrees/own/.ralph"])
            #expect(
                directory.found {
                    $0.roots = paths
                    $0.excludes = [".worktrees"]
                }.first == "p/.ralph")
        }
    }

    @Test func `a worktree that is a root is one where no root reaches its main workspace`() async throws {
        try await withTemporaryDirectory { directory in
            let worktree = "a/b/p/.worktrees/w"
            for name in ["a/b/p", worktree] { try directory.makeWorkspace(name) }
            for roots in [[worktree], ["a", worktree], ["a/b/p/.worktrees"]] {
                let found = directory.found {
                    $0.roots = roots.map { directory.path + "/" + $0 }
                    $0.depth = 1
                }
                #expect(found == [worktree + "/.ralph"])
            }
        }
    }

    @Test func `a layout that we do not know is listed in a worktree unless the main workspace has it`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p")
            try directory.write("p/autoloop/journal.jsonl", "")
            for name in ["autoloop", ".autoloop"] {
                try directory.write("p/.worktrees/w/\(name)/journal.jsonl", "")
            }

            #expect(directory.found() == ["p/.ralph", "p/autoloop", "p/.worktrees/w/.autoloop"])
        }
    }
}
