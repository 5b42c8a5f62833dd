import Foundation
import RalphTestSupport
import Testing

/// Which workspace a request is about, and what is refused of every route.
@Suite(.timeLimit(.minutes(1)))
struct WorkspaceRoutesTests {
    private static let reads = [("GET", "/api/memories"), ("GET", "/api/tasks")]
    private static let writes = [
        ("PUT", "/api/memories", #"{"content":"x"}"#), ("POST", "/api/tasks", #"{"title":"x"}"#),
        ("PUT", "/api/tasks/task-1-aaaa", #"{"status":"open"}"#), ("POST", "/api/memories/export", ""),
        ("POST", "/api/config/export", ""), ("POST", "/api/config/import", #"{"content":"a: 1"}"#),
    ]

    @Test func `the first root is meant where nothing is said`() async throws {
        try await withServer { server in
            let list = try await server.get("/api/tasks").object()
            #expect(list["total"] as? Int == 0)
            #expect(try server.root.names(in: "") == [".state"])
            #expect(try await server.post("/api/tasks", #"{"title":"x"}"#).status == 201)
            #expect(try server.root.names(in: ".ralph/agent").contains("tasks.jsonl"))
        }
    }

    @Test func `a workspace is named by its path or by a session`() async throws {
        try await withServer { server in
            let id = try await server.session("deep/one", lines: 1)
            try server.root.write("deep/one/.ralph/agent/memories.md", "m")
            for query in ["workspace=deep/one", "workspace=\(server.root.path)/deep/one", "session=\(id)"] {
                #expect(try await server.get("/api/memories?\(query)").object()["content"] as? String == "m")
            }
            #expect(try await server.get("/api/memories?session=\(id.prefix(8))").status == 200)
            #expect(try await server.get("/api/memories?session=\(id)&workspace=nothing").status == 200)
        }
    }

    @Test(arguments: [
        "..", "%2e%2e", "..%2f..", "/", "/etc", "/proc/self/cwd", "a%5c..%5c..", "plain", "plain/file",
        "nothing",
        "link", "a/../..", "%ff", "a%00b",
    ])
    func `what is no workspace is never read or written`(_ name: String) async throws {
        try await withTemporaryDirectory { outer in
            try outer.write("outside/.ralph/agent/memories.md", "secret")
            let root = TemporaryDirectory(path: outer.path + "/root")
            try root.write("plain/file", "")
            symlink(outer.path + "/outside", root.path + "/link")
            try await withServer(in: root) { server in
                for (method, path) in Self.reads {
                    let response = try await server.send(method, "\(path)?workspace=\(name)")
                    #expect(response.status == 404 || response.status == 400)
                    #expect(!response.text.contains("secret"))
                }
                for (method, path, body) in Self.writes {
                    let response = try await server.send(method, "\(path)?workspace=\(name)", body)
                    #expect(response.status == 404 || response.status == 400)
                }
                #expect(try root.names(in: "plain") == ["file"])
                #expect(try outer.names(in: "outside") == [".ralph"])
            }
        }
    }

    @Test func `an unknown workspace and session have their names`() async throws {
        try await withServer { server in
            let workspace = try await server.get("/api/tasks?workspace=none")
            #expect(workspace.status == 404)
            #expect(try workspace.object()["error"] as? String == "workspace_not_found: none")
            let session = try await server.get("/api/tasks?session=none")
            #expect(session.status == 404)
            #expect(try session.object()["error"] as? String == "session_not_found")
        }
    }

    @Test func `a link out of the workspace is an error that shows nothing`() async throws {
        try await withTemporaryDirectory { outer in
            let secret = try outer.write("secret", #"{"id":"secret"}"#)
            let root = TemporaryDirectory(path: outer.path + "/root")
            try root.write(".ralph/agent/x", "")
            symlink(secret, root.path + "/.ralph/agent/tasks.jsonl")
            symlink(secret, root.path + "/.ralph/agent/memories.md")
            symlink(secret, root.path + "/ralph.yml")
            try await withServer(in: root) { server in
                var responses: [HTTPProbe.Response] = []
                for (method, path) in Self.reads { responses.append(try await server.send(method, path)) }
                for (method, path, body) in Self.writes {
                    responses.append(try await server.send(method, path, body))
                }
                for response in responses {
                    #expect(response.status == 500)
                    #expect(!response.text.contains("\"id\":\"secret"))
                    #expect(response.text.contains("leads out of the workspace"))
                }
                #expect(FileManager.default.contents(atPath: secret) == Data(#"{"id":"secret"}"#.utf8))
            }
        }
    }

    @Test func `changes are on the session's record`() async throws {
        try await withServer { server in
            let id = try await server.session("one", lines: 1)
            for (method, path, body) in Self.writes where !path.hasSuffix("export") {
                _ = try await server.send(method, "\(path)?session=\(id)", body)
            }
            #expect(
                try await server.commands(id) == [
                    "memories_write accepted", "task_add accepted", "task_update rejected",
                    "config_import accepted",
                ])
        }
    }

    @Test(arguments: ["", "[]", "7", "null", #"{"content":1,"title":2,"status":3}"#, "{", "\"x\""])
    func `a body that is none is a 400`(_ body: String) async throws {
        try await withServer { server in
            for (method, path, _) in Self.writes where !path.hasSuffix("export") {
                let response = try await server.send(method, path, body)
                #expect(response.status == 400)
            }
        }
    }
}
