import Foundation
import RalphTestSupport
import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct SessionScannerTests {
    @Test(arguments: [
        "p/.ralph/current-events", "p/.ralph/events-20260101-000000.jsonl", "p/.ralph/events.jsonl",
        "p/.ralph/loop.lock", "p/.ralph/current-loop-id",
    ])
    func `one of its files makes a session of a directory`(file: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(file, "x")

            #expect(directory.found() == ["p/.ralph"])
        }
    }

    @Test(arguments: [
        "p/.ralph/notes.md", "p/.ralph/agent/scratchpad.md", "p/.agent/notes.jsonl", "p/autoloop/x.md",
    ])
    func `other files do not make a session`(file: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write(file, "x")

            #expect(directory.found() == [])
        }
    }

    @Test func `version 1 is a session, also beside a newer one that comes later`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("old/.agent/events.jsonl", "")
            try directory.write("both/.agent/events.jsonl", "")
            #expect(directory.found() == ["both/.agent", "old/.agent"])
            try directory.makeWorkspace("both")

            let sessions = directory.scan().sessions.map(\.facts)

            #expect(
                sessions.map { directory.relative($0.directory.path) } == [
                    "both/.ralph", "both/.agent", "old/.agent",
                ])
            #expect(sessions.map(\.directory.layout) == [.ralph, .agent, .agent])
        }
    }

    @Test func `version 1 beside a newer session has neither its output nor its events file`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["p", "q"] {
                try directory.write(name + "/.agent/events.jsonl", "")
                try directory.makeWorkspace(name)
            }
            try directory.write("p/rpc-stdout.jsonl", "")
            try directory.write("q/.ralph/current-events", ".agent/events.jsonl")

            let found = directory.scan().sessions.map(\.facts)

            #expect(
                found.map { directory.relative($0.directory.path) } == ["p/.ralph", "p/.agent", "q/.ralph"])
            #expect(found.map(\.agentOutput.count) == [1, 0, 0])
        }
    }

    @Test func `each nested directory with a log is a session`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("p/.ralph/sessions/one/session.jsonl", "")
            try directory.write("p/.ralph/sessions/two/events.jsonl", "")
            try directory.write("p/.ralph/sessions/three/notes.md", "")

            let sessions = directory.scan().sessions

            #expect(
                sessions.map { directory.relative($0.facts.directory.path) } == [
                    "p/.ralph/sessions/one", "p/.ralph/sessions/two",
                ])
            #expect(sessions.allSatisfy { $0.facts.directory.workspace == directory.path + "/p" })
        }
    }

    @Test(arguments: ["autoloop", ".autoloop"])
    func `a layout that we do not know is listed read only`(name: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("p/\(name)/journal.jsonl", "")

            let facts = try #require(directory.scan().sessions.first?.facts)

            #expect(directory.relative(facts.directory.path) == "p/\(name)")
            #expect(facts.directory.layout == .unknown)
            #expect(facts.isReadOnly)
        }
    }

    @Test func `a project called autoloop is entered like any other`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("autoloop/data.jsonl", "")
            try directory.makeWorkspace("autoloop")

            #expect(directory.found() == ["autoloop/.ralph"])
        }
    }

    @Test(arguments: [(0, 1), (1, 2), (3, 4), (9, 5)])
    func `depth counts from the root`(depth: Int, count: Int) async throws {
        try await withTemporaryDirectory { directory in
            for name in [".", "a", "a/b", "a/b/c", "a/b/c/d"] { try directory.makeWorkspace(name) }

            #expect(directory.found { $0.depth = depth }.count == count)
        }
    }

    @Test func `excluded directories are not entered`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["node_modules/a", ".git/a", "target", ".build", "mine"] {
                try directory.makeWorkspace(name)
            }
            try directory.makeWorkspace("kept")

            #expect(directory.found { $0.excludes = ["mine"] } == ["kept/.ralph"])
        }
    }

    @Test(arguments: [".worktrees", "w"]) func `excluded worktrees are not looked into`(name: String)
        async throws
    {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("p", run: "20260101-000000")
            try directory.makeWorkspace("p/.worktrees/w", run: "20260303-000000")

            #expect(directory.found { $0.excludes = [name] } == ["p/.ralph"])
        }
    }

    @Test func `overlapping and linked roots give a session once`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.makeWorkspace("a/b/c/d/deep")
            try directory.makeWorkspace("a/shallow")
            try directory.link("link", to: "a")

            let roots = ["/a/b", "/link", "/a", "/a/b/c/d"].map { directory.path + $0 }

            #expect(directory.found { $0.roots = roots } == ["a/shallow/.ralph", "a/b/c/d/deep/.ralph"])
            #expect(directory.scan { $0.roots = roots }.roots.count == 3)
        }
    }

    @Test func `the output of a run in the workspace belongs to its session`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.copySample("f-rpc-and-diagnostics", to: "f")

            let found = directory.scan { $0.agentOutput = { [$0.path + "/more.jsonl"] } }.sessions

            #expect(
                found.first?.facts.agentOutput.map(directory.relative) == [
                    "f/rpc-stdout.jsonl", "f/.ralph/more.jsonl",
                ])
        }
    }

    @Test func `a walk in small steps finds what a walk at once finds`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "a/in/b", "c/d/e", "f/.worktrees/w", "g"] { try directory.makeWorkspace(name) }
            var settings = DiscoverySettings(roots: [directory.path, directory.path + "/c"])
            settings.workspaces = { [directory.path + "/c/d/e"] }
            let whole = directory.scan { $0 = settings }
            var scanner = SessionScanner(settings: settings)
            for _ in 0..<2 {
                var steps = 0
                var result: ScanResult?
                while result == nil {
                    result = scanner.advance(directories: 1)
                    steps += 1
                    #expect(scanner.isWalking == (result == nil))
                }
                #expect(steps > whole.sessions.count)
                #expect(result?.sessions.map(\.facts) == whole.sessions.map(\.facts))
                #expect(result?.directories.map(\.path) == whole.directories.map(\.path))
            }
        }
    }

    @Test func `a walk at once gives up the one that was begun`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b", "c"] { try directory.makeWorkspace(name) }
            var scanner = SessionScanner(settings: DiscoverySettings(roots: [directory.path]))
            #expect(scanner.advance(directories: 2) == nil)
            try directory.remove("a")

            #expect(scanner.scan().sessions.count == 2)
            #expect(!scanner.isWalking)
        }
    }
}
