import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Another program that holds the lock of a file for long.
@Suite(.timeLimit(.minutes(1)))
struct LockedFileTests {
    /// Runs `body` while a process holds `<name>.lock` in the workspace `project`; writing to the FIFO `project/go`
    /// ends that.
    private func withHolder(
        of name: String, configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: @Sendable @escaping (RunningServer) async throws -> Void
    ) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            try PairedDevice.store(in: workspace.outside)
            try workspace.outside.write("project/.ralph/events.jsonl", RunningServer.lines(1...1, when: true))
            try workspace.put("agent/" + name, "")
            let script = "mkfifo go && touch held && cat go"
            _ = try workspace.launch("flock", [".ralph/agent/\(name).lock", "sh", "-c", script])
            try await workspace.waitForFile("held")
            try await withServer(in: workspace.outside, configure, body)
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

    @Test(arguments: [
        ("tasks.jsonl", "POST", "/api/tasks", #"{"title":"x"}"#),
        ("tasks.jsonl", "PUT", "/api/tasks/task-1-abcd", #"{"status":"closed"}"#),
        ("memories.md", "PUT", "/api/memories", #"{"content":"new"}"#),
    ])
    func `a change that waits for a lock is not made when its device was revoked`(
        _ file: String, _ method: String, _ target: String, _ body: String
    ) async throws {
        let (owner, device) = (PairedDevice.owner, PairedDevice.start)
        try await withHolder(of: file) {
            $0.apiKey = PairedDevice.key
        } _: { server in
            let commands = "/api/sessions/\(try await session(server))/commands"
            async let change = server.send(
                method, target + "?workspace=project", body, headers: device.headers)
            try await eventually(within: .seconds(5), "the change") {
                try await server.get(commands, headers: owner).text.contains(#""outcome":"pending""#)
            }
            try await expectStatus(200, server.send("DELETE", "/api/devices/\(device.id)", headers: owner))
            try server.root.append("project/go", "")

            #expect(try await change.status == 401)
            let path = server.root.path + "/project/.ralph/agent/" + file
            #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
        }
    }

    @Test(arguments: [("tasks.jsonl", "/api/tasks"), ("memories.md", "/api/memories")])
    func `a read that waits for a lock is not answered when its device was revoked`(
        _ file: String, _ target: String
    ) async throws {
        let (owner, device) = (PairedDevice.owner, PairedDevice.watch)
        try await withHolder(of: file) {
            $0.apiKey = PairedDevice.key
        } _: { server in
            async let read = server.get(target + "?workspace=project", headers: device.headers)
            try await eventually(within: .seconds(5), "the read") {
                let list = try await server.get("/api/devices", headers: owner).json() as? [[String: Any]]
                return list?.first { $0["id"] as? String == device.id }?["last_seen"] is String
            }
            try await expectStatus(200, server.send("DELETE", "/api/devices/\(device.id)", headers: owner))
            try server.root.append("project/go", "")

            #expect(try await read.status == 401)
        }
    }

    /// The session of the workspace, once it was found.
    private func session(_ server: RunningServer) async throws -> String {
        var id: String?
        try await eventually(within: .seconds(10), "the session") {
            let list =
                try await server.get("/api/sessions", headers: PairedDevice.owner)
                .json() as? [[String: Any]]
            id = list?.first?["id"] as? String
            return id != nil
        }
        return try #require(id)
    }
}
