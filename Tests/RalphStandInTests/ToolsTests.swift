import Foundation
import RalphTestSupport
import Testing

/// `ralph tools` (contract 6.1 to 6.3); the same against the real ralph.
@Suite(.timeLimit(.minutes(1))) struct ToolsTests {
    private static let tasks = ".ralph/agent/tasks.jsonl"
    private static let memories = ".ralph/agent/memories.md"

    private func task(_ workspace: StandInWorkspace, _ arguments: String...) async throws -> String {
        let (exit, output) = try await workspace.ralph(["tools", "task"] + arguments)
        #expect(exit == .code(0), "\(arguments): \(output)")
        return output.trimmingCharacters(in: .newlines)
    }

    private func memory(_ workspace: StandInWorkspace, _ arguments: String...) async throws -> String {
        let (exit, output) = try await workspace.ralph(["tools", "memory"] + arguments)
        #expect(exit == .code(0), "\(arguments): \(output)")
        return output
    }

    @Test func `a task is added, listed, begun, closed and reopened`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            try workspace.put("current-loop-id", "primary-1")
            let id = try await task(
                workspace, "add", "First", "-p", "9", "-d", "words", "--blocked-by", "a, b", "--format",
                "quiet")
            #expect(id.wholeMatch(of: #/task-\d+-[0-9a-f]{4}/#) != nil)
            let line = try #require(workspace.text(Self.tasks))
            #expect(
                line.hasPrefix(
                    #"{"id":"\#(id)","title":"First","description":"words","status":"open","priority":5,"blocked_by":["a","b"],"loop_id":"primary-1","created":""#
                ))
            #expect(workspace.exists(Self.tasks + ".lock"))

            for (action, status, members) in [
                ("start", "in_progress", ["started"]), ("close", "closed", ["started", "closed"]),
                ("reopen", "open", ["started"]), ("fail", "failed", ["started", "closed"]),
            ] {
                _ = try await task(workspace, action, id)
                let text = try await task(workspace, "show", id, "--format", "json")
                let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                #expect(object?["status"] as? String == status)
                #expect(Set(object?.keys ?? [:].keys).intersection(["started", "closed"]) == Set(members))
            }
            #expect(try await task(workspace, "list", "--format", "quiet") == "")
            #expect(try await task(workspace, "list", "--all", "--format", "quiet") == id)
        }
    }

    @Test func `a key finds its task again, and what waits is not ready`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let first = try await task(workspace, "ensure", "A", "--key", "k", "--format", "quiet")
            let again = try await task(workspace, "ensure", "B", "--key", "k", "--format", "quiet")
            #expect(first == again)
            let second = try await task(workspace, "add", "C", "--blocked-by", first, "--format", "quiet")
            #expect(try await task(workspace, "ready", "--format", "quiet") == first)
            _ = try await task(workspace, "close", first)
            #expect(try await task(workspace, "ready", "--format", "quiet") == second)
            try workspace.put("current-loop-id", "another")
            #expect(try await task(workspace, "ready", "--format", "quiet") == "")
            #expect(try await task(workspace, "ready", "--all", "--format", "quiet") == second)
        }
    }

    @Test func `lines that are no tasks are lost at the next write`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            try workspace.put("agent/tasks.jsonl", "{\"half\n7\n")
            let id = try await task(workspace, "add", "A", "--root", workspace.path, "--format", "quiet")
            let text = try #require(workspace.text(Self.tasks))
            #expect(text.hasPrefix("{\"id\":\"\(id)\""))
        }
    }

    @Test func `what is not there, and a wrong command line`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            for action in ["close", "start", "show"] {
                let done = try await workspace.ralph(["tools", "task", action, "task-1-aaaa"])
                #expect(done.exit == .code(1))
            }
            for arguments in [
                ["task"], ["task", "add"], ["task", "add", "x", "-p", "300"], ["memory", "add"],
            ] {
                let done = try await workspace.ralph(["tools"] + arguments)
                #expect(done.exit == .code(2))
            }
        }
    }

    @Test func `a command waits for the lock`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let lock = try workspace.directory.write(Self.tasks + ".lock", "")
            let descriptor = open(lock, O_RDWR | O_CLOEXEC)
            flock(descriptor, LOCK_EX)
            let add = try workspace.launch(StandIn.ralph, ["tools", "task", "add", "A"])
            try await eventually(within: .seconds(10), "waiting for the lock") {
                add.waitsForLock
            }
            #expect(add.isRunning)
            close(descriptor)
            #expect(try await add.waitForExit() == .code(0))
        }
    }

    @Test func `a memory goes right behind its heading and can be read back`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            _ = try await memory(workspace, "add", "first", "-t", "fix", "--tags", "a, b")
            _ = try await memory(workspace, "add", "two\nlines", "--type", "fix")
            let text = try #require(workspace.text(Self.memories))
            #expect(
                text.contains(
                    #/## Fixes\n\n### mem-\d+-[0-9a-f]{4}\n> two\n> lines\n<!-- tags:  \| created: [\d-]+ -->\n/#
                ))
            #expect(text.contains(#/> first\n<!-- tags: a, b \| created: [\d-]+ -->\n\n## Context/#))

            let json = try await memory(workspace, "list", "--format", "json")
            let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] ?? []
            #expect(list.compactMap { $0["content"] as? String } == ["two\nlines", "first"])
            #expect(list.last?["tags"] as? [String] == ["a", "b"])
            let id = try #require(list.first?["id"] as? String)
            _ = try await memory(workspace, "delete", id)
            #expect(try await memory(workspace, "list", "--format", "quiet") == "\(list.last?["id"] ?? "")\n")
        }
    }
}
