import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TaskRoutesTests {
    private static let name = ".ralph/agent/tasks.jsonl"

    @Test func `a task is made, listed and changed`() async throws {
        try await withServer { server in
            let made = try await server.post(
                "/api/tasks", #"{"title":"A","description":"d","blocked_by":["x"]}"#)
            #expect(made.status == 201)
            let task = try made.object()
            let id = try #require(task["id"] as? String)
            #expect(id.wholeMatch(of: #/task-\d+-[0-9a-f]{4}/#) != nil)
            #expect(task["status"] as? String == "open")
            #expect(task["priority"] as? Int == 3)
            #expect(task["blocked_by"] as? [String] == ["x"])
            #expect(
                Set(task.keys)
                    == [
                        "id", "title", "description", "status", "priority", "blocked_by", "created_at",
                        "updated_at",
                    ]
            )
            let closed = try await server.send(
                "PUT", "/api/tasks/\(id)", #"{"status":"closed","priority":1}"#)
            #expect(closed.status == 200)
            #expect(try closed.object()["priority"] as? Int == 1)
            let list = try await server.get("/api/tasks?status=CLOSED").object()
            #expect(list["total"] as? Int == 1)
            #expect((list["tasks"] as? [[String: Any]])?.first?["status"] as? String == "closed")
            #expect(try await server.get("/api/tasks?status=open").object()["total"] as? Int == 0)
        }
    }

    @Test(arguments: [
        (#"{}"#, 400, "title cannot be empty"), (#"{"title":""}"#, 400, "title cannot be empty"),
        (#"{"title":" \n"}"#, 400, "title cannot be empty"),
        (#"{"title":null}"#, 400, "title cannot be empty"),
        (#"{"title":7}"#, 400, "invalid_request: title must be a string"),
        (#"{"title":"a\u0000b"}"#, 400, "invalid_request: title must not contain NUL"),
        (#"{"title":"x","priority":0}"#, 400, "priority must be between 1 and 5"),
        (#"{"title":"x","priority":6}"#, 400, "priority must be between 1 and 5"),
        (#"{"title":"x","priority":-1}"#, 400, "priority must be between 1 and 5"),
        (#"{"title":"x","priority":2.5}"#, 400, "priority must be between 1 and 5"),
        (#"{"title":"x","priority":"2"}"#, 400, "invalid_request: priority must be a number"),
        (#"{"title":"x","blocked_by":"y"}"#, 400, "invalid_request: blocked_by must be a list of strings"),
        (#"{"title":"x","blocked_by":[1]}"#, 400, "invalid_request: blocked_by must be a list of strings"),
        (#"{"title":"x","description":[]}"#, 400, "invalid_request: description must be a string"),
    ])
    func `a task that is none is refused`(_ body: String, _ status: Int, _ error: String) async throws {
        try await withServer { server in
            let response = try await server.post("/api/tasks", body)
            #expect(response.status == status)
            #expect(try response.object()["error"] as? String == error)
            #expect(!FileManager.default.fileExists(atPath: server.root.path + "/" + Self.name))
        }
    }

    @Test(arguments: [
        (#"{"status":"done"}"#, "invalid status 'done', must be one of: open, in_progress, closed, failed"),
        (#"{"status":""}"#, "invalid status '', must be one of: open, in_progress, closed, failed"),
        (#"{}"#, "invalid_request: status, title, description, priority or blocked_by is required"),
        (#"{"title":" "}"#, "title cannot be empty"),
        (#"{"status":1}"#, "invalid_request: status must be a string"),
        (#"{"priority":9}"#, "priority must be between 1 and 5"),
    ])
    func `a change that is none is refused`(_ body: String, _ error: String) async throws {
        try await withServer { server in
            let response = try await server.send("PUT", "/api/tasks/task-1-aaaa", body)
            #expect(response.status == 400)
            #expect(try response.object()["error"] as? String == error)
        }
    }

    @Test func `texts have limits`() async throws {
        try await withServer { server in
            let title = String(repeating: "x", count: 1001)
            let ids = Array(repeating: "\"x\"", count: 101).joined(separator: ",")
            let words = String(repeating: "y", count: 65_537)
            for (body, status) in [
                ("{\"title\":\"\(title)\"}", 413), ("{\"title\":\"\(title.dropLast())\"}", 201),
                ("{\"title\":\"x\",\"description\":\"\(words)\"}", 413),
                ("{\"title\":\"x\",\"blocked_by\":[\(ids)]}", 400),
                ("{\"title\":\"x\",\"priority\":3.0}", 201),
                ("{\"title\":\"x\",\"blocked_by\":[\"\(title)\"]}", 413),
            ] {
                let response = try await server.post("/api/tasks", body)
                #expect(response.status == status)
            }
        }
    }

    @Test(arguments: ["task-1-aaaa", "%2e%2e", "a%2fb", "%00", "%zz", "task-1-aaab%20"])
    func `an unknown task is a 404`(_ id: String) async throws {
        try await withServer { server in
            let response = try await server.send("PUT", "/api/tasks/\(id)", #"{"status":"open"}"#)
            #expect(response.status == 404)
            #expect(try response.object()["error"] as? String == "task_not_found")
        }
    }

    @Test(arguments: [
        "status=done", "status=", "limit=0", "limit=10001", "limit=x", "offset=-1", "status=%ff",
    ])
    func `a query that is none is refused`(_ query: String) async throws {
        try await withServer { server in
            let response = try await server.get("/api/tasks?\(query)")
            #expect(response.status == 400)
        }
    }

    @Test func `a half written file shows what is whole`() async throws {
        try await withServer { server in
            let whole =
                #"{"id":"task-1-aaaa","title":"A","status":"open","priority":1,"blocked_by":[],"created":"2026-01-01T00:00:00Z"}"#
            try server.root.write(Self.name, whole + "\n{\"id\":\"task-2-bb")
            let list = try await server.get("/api/tasks").object()
            #expect(list["total"] as? Int == 1)
            #expect(list["skipped_lines"] as? Int == 1)
            #expect(
                try await server.send("PUT", "/api/tasks/task-1-aaaa", #"{"status":"failed"}"#).status == 200)
            let text = FileManager.default.contents(atPath: server.root.path + "/" + Self.name) ?? Data()
            #expect(String(decoding: text, as: UTF8.self).hasSuffix("}\n{\"id\":\"task-2-bb"))
        }
    }

    @Test func `a hundred thousand tasks are listed in pages`() async throws {
        try await withServer { server in
            let lines = (0..<100_000).map { number in
                #"{"id":"task-\#(number)-aaaa","title":"Task \#(number)","status":"open","priority":3,"blocked_by":[],"loop_id":"primary-20261121-032036","created":"2026-01-01T00:00:00+00:00"}"#
            }
            try server.root.write(Self.name, lines.joined(separator: "\n"))
            let probe = try server.probe()
            try await probe.request("/api/tasks?limit=100&offset=99950")
            let list = try await probe.response(within: .seconds(25)).object()
            #expect(list["total"] as? Int == 100_000)
            #expect((list["tasks"] as? [[String: Any]])?.count == 50)
            #expect(list["has_more"] as? Bool == false)
            let last = try await server.send("PUT", "/api/tasks/task-99999-aaaa", #"{"status":"closed"}"#)
            #expect(last.status == 200)
            #expect(try await server.post("/api/tasks", #"{"title":"one more"}"#).status == 201)
        }
    }
}
