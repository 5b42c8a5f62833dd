import RalphServer
import RalphTestSupport
import Testing

/// What the app reads and writes of a workspace's files (http-contract 7, 10).
@Suite(.timeLimit(.minutes(1)))
struct WorkspaceContractTests {
    @Test
    func `memories`() async throws {
        try await withServer { server in
            let none = try await server.get("/api/memories", as: ClientModels.Memories.self)
            #expect(none.content.isEmpty)
            #expect(none.last_modified == nil)
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.post("/api/memories/export"), status: 404)
            #expect(problem.error == "memories_not_found")
            let written = try ClientAnswer.decode(
                ClientModels.Memories.self,
                try await server.send("PUT", "/api/memories", ##"{"content":"# Memories\n"}"##))
            #expect(written.content == "# Memories\n")
            #expect(written.last_modified != nil)
            let export = try await server.post("/api/memories/export", as: ClientModels.MemoriesExport.self)
            #expect(export.filename.wholeMatch(of: /memories-\d{8}-\d{6}\.md/) != nil)
        }
    }

    @Test
    func `tasks`() async throws {
        try await withServer { server in
            #expect(try await server.get("/api/tasks", as: ClientModels.Tasks.self).tasks.isEmpty)
            let task = try await server.post(
                "/api/tasks", #"{"title":"Write it"}"#, as: ClientModels.Task.self, status: 201)
            #expect(task.priority == 3)
            #expect(task.status == .open)
            #expect(task.blocked_by.isEmpty)
            for status in ["in_progress", "closed", "open"] {
                let changed = try ClientAnswer.decode(
                    ClientModels.Task.self,
                    try await server.send("PUT", "/api/tasks/\(task.id)", #"{"status":"\#(status)"}"#))
                #expect(changed.status.rawValue == status)
            }
            let open = try await server.get("/api/tasks?status=OPEN", as: ClientModels.Tasks.self)
            #expect(open.total.value == 1)
            #expect(open.tasks.map(\.id) == [task.id])
        }
    }

    @Test(
        arguments: [
            ("POST", "", #"{"title":" "}"#, 400, "title cannot be empty"),
            ("POST", "", #"{"title":"x","priority":6}"#, 400, "priority must be between 1 and 5"),
            ("PUT", "/task-1-abcd", #"{"status":"open"}"#, 404, "task_not_found"),
        ])
    func `tasks that cannot be`(
        _ method: String, _ part: String, _ body: String, _ status: Int, _ error: String
    ) async throws {
        try await withServer { server in
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.send(method, "/api/tasks" + part, body),
                status: status)
            #expect(problem.error == error)
        }
    }

    @Test
    func `the configuration is given and taken`() async throws {
        try await withServer { server in
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.post("/api/config/export"), status: 404)
            #expect(problem.error == "No ralph configuration file found (ralph.yml or ralph.yaml)")
            let taken = try await server.post(
                "/api/config/import", #"{"content":"event_loop:\n  max_iterations: 3\n"}"#,
                as: ClientModels.ConfigImport.self)
            #expect(taken.status == "Configuration imported successfully")
            #expect(taken.path == "ralph.yml")
            let export = try await server.post("/api/config/export", as: ClientModels.ConfigExport.self)
            #expect(export.filename == "ralph.yml")
            #expect(export.content.contains("max_iterations: 3"))
            for text in ["- a list", "a: [", "just words", ""] {
                let body = #"{"content":"\#(text)"}"#
                let refused = try await server.post("/api/config/import", body)
                #expect(refused.status == 400)
            }
        }
    }
}
