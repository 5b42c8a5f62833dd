import Foundation
import RalphServer
import RalphSessions
import RalphTestSupport
import Testing

/// Names that Unicode takes for the same are those of different files.
@Suite(.timeLimit(.minutes(1)))
struct TwinPathTests {
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    private static let names = [composed, decomposed]

    private func encoded(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Makes two workspaces that look the same and waits for their sessions.
    private func makeTwins(_ server: RunningServer) async throws {
        for name in Self.names {
            try server.root.write("\(name)/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
        }
        try await eventually(within: .seconds(10), "two sessions") {
            (try await server.get("/api/sessions").json() as? [Any])?.count == 2
        }
    }

    @Test func `each of two workspaces that look the same has its own library`() async throws {
        try await withServer { server in
            for (name, hat) in zip(Self.names, ["One", "Two"]) {
                try server.root.write("\(name)/ralph.yml", "hats:\n  x: {name: \(hat)}\n")
                try server.root.write("prompts/\(name).md", hat)
            }
            try await makeTwins(server)

            #expect(try await server.members("hats", "name") == ["One", "Two"])
            for (name, hat) in zip(Self.names, ["One", "Two"]) {
                let query = "?workspace=" + encoded(name)
                #expect(try await server.members("hats", "name", query) == [hat])
                let content = try await server.get("/api/prompts/prompts/\(encoded(name)).md").object()
                #expect(content["content"] as? String == hat)
            }
            let prompts = try await server.items("prompts")
            #expect(Set(prompts.compactMap { $0["preview"] as? String }) == ["One", "Two"])
            #expect(prompts.allSatisfy { ($0["shadows"] as? [Any])?.isEmpty == true })
        }
    }

    @Test func `each of two workspaces that look the same has its own loops`() async throws {
        try await withServer { server in
            for name in Self.names {
                try server.root.write("\(name)/.ralph/loop.lock", #"{"pid":2147483647,"prompt":"Go"}"#)
            }
            try await makeTwins(server)

            let all = try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []
            #expect(all.count == 2)
            for name in Self.names {
                let query = "?workspace=" + encoded(name)
                let own = try await server.get("/api/loops" + query).object()["loops"] as? [[String: Any]]
                let workspace = own?.first?["workspace"] as? String
                #expect(own?.count == 1 && workspace?.isPath(server.root.path + "/" + name) == true)
            }
        }
    }

    @Test func `a workspace whose name begins with an accent is listed as it is read`() async throws {
        try await withServer { server in
            let path = "\u{301}x/prompts/p.md"
            try server.root.write(path, "Do it.")
            try server.root.write("\u{301}x/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            try await eventually(within: .seconds(10), "the prompt") {
                try await server.members("prompts", "path").contains { $0.isPath(path) }
            }
            #expect(try await server.get("/api/prompts/" + encoded(path)).status == 200)
            let detour = try await server.get("/api/prompts/" + encoded("y/../" + path))
            #expect(detour.status == 400)
        }
    }

    @Test func `both of two workspaces that look the same are sessions, and followed`() async throws {
        try await withServer { server in
            let names = [Self.composed, Self.decomposed]
            for name in names {
                try server.root.write("\(name)/.ralph/events.jsonl", RunningServer.lines(1...2, when: true))
            }
            let list = { () async throws in
                (try await server.get("/api/sessions").json() as? [[String: Any]] ?? [])
                    .compactMap { $0["id"] as? String }
            }
            try await eventually(within: .seconds(10), "two sessions") { try await list().count == 2 }
            let ids = try await list()
            for name in names {
                try server.root.append("\(name)/.ralph/events.jsonl", RunningServer.lines(3...3, when: true))
            }
            for id in ids {
                try await eventually(within: .seconds(10), "the third line") {
                    try await server.get("/api/sessions/\(id)/status").object()["last_seq"] as? Int == 3
                }
            }
        }
    }

    @Test func `what looks as if it lay in the root does not`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("\(Self.composed)/a/.ralph/events.jsonl", "")
            try directory.write("\(Self.decomposed)/a/.ralph/agent/memories.md", "# Memories\n")
            let twin = directory.path + "/" + Self.decomposed + "/a"
            try await withServer(in: directory, { $0.roots = [directory.path + "/" + Self.composed] }) {
                server in
                let memories = try await server.get("/api/memories?workspace=" + encoded(twin))
                #expect(memories.status == 404)
                let body = #"{"working_dir":"\#(twin)","prompt":"go"}"#
                let start = try await server.post("/api/sessions", body)
                let sibling = try await server.post(
                    "/api/sessions", #"{"working_dir":"\#(directory.path)","prompt":"go"}"#)
                #expect(start.status == sibling.status && start.status >= 400)
            }
        }
    }
}
