import Foundation
import RalphTestSupport
import Testing

/// Another program that holds the lock of a file for long.
@Suite(.timeLimit(.minutes(1)))
struct LockedFileTests {
    /// Runs `body` while a process holds `<name>.lock` in the workspace `project`; writing to the FIFO `project/go`
    /// ends that.
    private func withHolder(
        of name: String, _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            try workspace.put("agent/" + name, "")
            let script = "mkfifo go && touch held && cat go"
            _ = try workspace.launch("flock", [".ralph/agent/\(name).lock", "sh", "-c", script])
            try await workspace.waitForFile("held")
            try await withServer(in: workspace.outside) { server in try await body(server) }
        }
    }

    @Test func `tasks answer 503 after eight seconds, and work again once the lock is free`() async throws {
        try await withHolder(of: "tasks.jsonl") { server in
            let begin = ContinuousClock.now
            async let read = server.send("GET", "/api/tasks?workspace=project")
            async let write = server.post("/api/tasks?workspace=project", #"{"title":"x"}"#)
            #expect(try await server.get("/api/health").status == 200)
            #expect(try await server.get("/api/memories?workspace=project").status == 200)
            #expect(ContinuousClock.now - begin < .seconds(5))
            for response in [try await read, try await write] {
                #expect(response.status == 503)
                #expect(try response.object()["error"] as? String == "tasks_locked")
                #expect(response.headers["retry-after"] == "2")
            }
            #expect((.seconds(8)...Duration.seconds(15)).contains(ContinuousClock.now - begin))

            try server.root.append("project/go", "")

            try await eventually(within: .seconds(10), "the lock") {
                try await server.post("/api/tasks?workspace=project", #"{"title":"y"}"#).status == 201
            }
            #expect(try await server.get("/api/tasks?workspace=project").object()["total"] as? Int == 1)
        }
    }

    @Test func `a request waits for a lock that becomes free in time`() async throws {
        try await withHolder(of: "memories.md") { server in
            async let put = server.send("PUT", "/api/memories?workspace=project", #"{"content":"new"}"#)
            #expect(try await server.get("/api/tasks?workspace=project").status == 200)
            try server.root.append("project/go", "")
            #expect(try await put.status == 200)
        }
    }
}
