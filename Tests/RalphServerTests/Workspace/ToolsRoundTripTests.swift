import Foundation
import RalphTestSupport
import Testing

/// What this server writes is read by `ralph tools`, and the other way round; against the real ralph where
/// `RALPH_BIN` names one.
@Suite(.timeLimit(.minutes(1)))
struct ToolsRoundTripTests {
    private func tool(_ server: RunningServer, _ arguments: String...) async throws -> String {
        let path = server.root.path
        let (exit, output) = try await RalphTool.run(["tools"] + arguments + ["--root", path], in: path)
        #expect(exit == .code(0), "\(arguments)")
        return output
    }

    /// The ids of tasks that `ralph tools` adds one after the other.
    private func added(_ count: Int, by server: RunningServer) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            ids.append(try await tool(server, "task", "add", "r-\(number)", "--format", "quiet"))
        }
        return ids
    }

    private func task(_ server: RunningServer, _ id: String) async throws -> [String: Any] {
        let tasks = try await server.get("/api/tasks").object()["tasks"] as? [[String: Any]] ?? []
        return tasks.first { $0["id"] as? String == id } ?? [:]
    }

    @Test func `a task of ours is a task of ralph's`() async throws {
        try await withServer { server in
            try server.root.write(".ralph/current-loop-id", "primary-20261121-032036")
            let made = try await server.post(
                "/api/tasks", #"{"title":"Über \"alles\" \u2028","description":"two\nlines","priority":1}"#)
            let id = try #require(try made.object()["id"] as? String)
            #expect(try await tool(server, "task", "list", "--format", "quiet") == id)
            #expect(try await tool(server, "task", "ready", "--format", "quiet") == id)
            let shown = try await tool(server, "task", "show", id, "--format", "json")
            let object = try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any]
            #expect(object?["title"] as? String == "Über \"alles\" \u{2028}")
            #expect(object?["description"] as? String == "two\nlines")
            #expect(object?["priority"] as? Int == 1)

            _ = try await tool(server, "task", "close", id)
            #expect(try await task(server, id)["status"] as? String == "closed")
            for status in ["open", "in_progress", "failed"] {
                _ = try await server.send("PUT", "/api/tasks/\(id)", "{\"status\":\"\(status)\"}")
                let listed = try await tool(server, "task", "list", "--status", status, "--format", "quiet")
                #expect(listed == id)
            }
        }
    }

    @Test func `a task of ralph's is a task of ours`() async throws {
        try await withServer { server in
            let first = try await tool(server, "task", "add", "A", "-p", "1", "--format", "quiet")
            let second = try await tool(
                server, "task", "ensure", "B", "--key", "k", "--blocked-by", first, "--format", "quiet")
            #expect(try await task(server, first)["priority"] as? Int == 1)
            #expect(try await task(server, second)["blocked_by"] as? [String] == [first])

            let closed = try await server.send("PUT", "/api/tasks/\(first)", #"{"status":"closed"}"#)
            #expect(closed.status == 200)
            #expect(try await tool(server, "task", "ready", "--format", "quiet") == second)
            let again = try await tool(server, "task", "ensure", "C", "--key", "k", "--format", "quiet")
            #expect(again == second)
            #expect(try await task(server, second)["title"] as? String == "C")
            _ = try await tool(server, "task", "reopen", first)
            #expect(try await task(server, first)["status"] as? String == "open")
        }
    }

    @Test func `memories are the same for both`() async throws {
        try await withServer { server in
            let id = try await tool(
                server, "memory", "add", "one", "-t", "fix", "--tags", "a,b", "--format", "quiet")
            let got = try await server.get("/api/memories").object()
            let text = try #require(got["content"] as? String)
            #expect(text.contains("### \(id)\n> one\n<!-- tags: a, b | created: "))

            let more = text.replacing(
                "## Patterns\n",
                with:
                    "## Patterns\n\n### mem-1-00ff\n> two\n> lines\n<!-- tags: c | created: 2026-01-01 -->\n")
            let body = try JSONSerialization.data(withJSONObject: ["content": more])
            let put = try await server.send("PUT", "/api/memories", String(decoding: body, as: UTF8.self))
            #expect(put.status == 200)
            let listed = try await tool(server, "memory", "list", "--format", "quiet")
            #expect(listed == "mem-1-00ff\n\(id)")
            _ = try await tool(server, "memory", "delete", id)
            #expect(try await server.get("/api/memories").object()["content"] as? String != more)
        }
    }

    @Test func `many clients and ralph itself lose nothing of each other`() async throws {
        try await withServer { server in
            async let theirs = added(20, by: server)
            var ours = Set<String>()
            try await withThrowingTaskGroup(of: [String].self) { group in
                for client in 0..<8 {
                    group.addTask {
                        var ids: [String] = []
                        for number in 0..<25 {
                            let made = try await server.post(
                                "/api/tasks", "{\"title\":\"\(client)-\(number)\"}")
                            #expect(made.status == 201)
                            ids.append(try made.object()["id"] as? String ?? "")
                        }
                        return ids
                    }
                }
                for try await ids in group { ours.formUnion(ids) }
            }
            // Ralph may make an id twice, but not one of ours.
            let ids = ours.union(try await theirs)
            #expect(ours.count == 200)
            #expect(ours.isDisjoint(with: try await theirs))
            try await eventually(within: .seconds(20), "all tasks") {
                let list = try await server.get("/api/tasks").object()
                let tasks = list["tasks"] as? [[String: Any]] ?? []
                return Set(tasks.compactMap { $0["id"] as? String }) == ids && tasks.count == 220
            }
            let seen = try await tool(server, "task", "list", "--format", "quiet")
            #expect(Set(seen.split(separator: "\n").map(String.init)) == ids)
        }
    }

    @Test func `a task that ralph wrote over comes back`() async throws {
        try await withServer { server in
            _ = try await tool(server, "task", "add", "A")
            let path = ".ralph/agent/tasks.jsonl"
            let before = FileManager.default.contents(atPath: server.root.path + "/" + path) ?? Data()
            let made = try await server.post("/api/tasks", #"{"title":"mine"}"#).object()

            try server.root.write(path, bytes: Array(before))

            let id = made["id"] as? String ?? ""
            try await eventually(within: .seconds(10), "the task") { try await !task(server, id).isEmpty }
        }
    }
}
