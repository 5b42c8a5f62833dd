import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// What a server finds when it comes back, and runs that it never started.
@Suite(.timeLimit(.minutes(1)))
struct RestartControlTests {
    private static let steps = "always:\n  wait-for .ralph-go\n  emit slice.planned next\n"

    /// Runs `body` against a server on the workspace's surroundings, always with the same state.
    private func serve(
        _ workspace: StandInWorkspace,
        _ body: @Sendable @escaping (RunningServer, WorkspaceHandle) async throws -> Void
    ) async throws {
        let handle = WorkspaceHandle(path: workspace.path, outside: workspace.outside)
        try await withServer(
            in: workspace.outside,
            {
                $0.ralph = StandIn.ralph
                $0.rescan = .milliseconds(500)
            }
        ) { server in try await body(server, handle) }
    }

    @Test func `a suspended run is found again by the next server, paused and the same session`() async throws
    {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            try await serve(workspace) { server, workspace in
                let id = try await server.start()
                _ = try await server.post("/api/sessions/\(id)/pause")
                try workspace.put(".ralph-go")
                try await server.waitFor(id, "phase", "suspended")
                try workspace.remove(".ralph-go")
                try workspace.put("id", "\(id)")
            }
            try await serve(workspace) { server, workspace in
                let id = workspace.text("id")
                let status = try await server.status(id)
                #expect(status["status"] as? String == "paused")
                #expect(status["source"] as? String == "spawned")
                let health = try await server.get("/api/health").object()
                let control = try #require(health["control"] as? [String: Any])
                #expect(control["adopted"] as? Int == 1)
                #expect(control["paused"] as? Int == 1)

                let resume = try await server.post("/api/sessions/\(id)/resume").object()
                #expect(resume["changed"] as? Bool == true)
                try await server.waitFor(id, "status", "running")
                _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
                #expect(workspace.processes.isEmpty)
            }
        }
    }

    @Test func `a run whose workspace was deleted is listed by the next server and can be stopped`()
        async throws
    {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            try await serve(workspace) { server, workspace in
                let id = try await server.start()
                let pid = try #require(try await server.status(id)["pid"] as? Int)
                try workspace.outside.write("facts/run", "\(id) \(pid)")
            }
            let facts = try String(contentsOfFile: workspace.outside.path + "/facts/run", encoding: .utf8)
                .split(separator: " ").map(String.init)
            try FileManager.default.removeItem(atPath: workspace.path)

            try await serve(workspace) { server, _ in
                let status = try await server.get("/api/sessions/\(facts[0])/status")
                #expect(status.status == 200, "\(status.text)")
                #expect(try status.object()["watch"] as? String == "gone", "\(status.text)")
                #expect(try status.object()["iteration"] as? Int == 1, "what was stored is told")
                #expect(try await server.send("DELETE", "/api/sessions/\(facts[0])?force=1").status == 200)
                let pid = try #require(Int32(facts[1]))
                #expect(ProcessSnapshot(pid: pid)?.isLiving != true)
            }
        }
    }

    @Test func `a run started elsewhere pauses by its end, stays paused over a restart, and is continued`()
        async throws
    {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            let outsider = try workspace.run()
            try await workspace.waitForTopic("work.start")
            try await serve(workspace) { server, workspace in
                let id = try await server.waitForSession("project", events: 1)
                try await server.waitFor(id, "status", "running")
                #expect(try await server.status(id)["source"] as? String == "discovered")
                let pause = try await server.post("/api/sessions/\(id)/pause").object()
                #expect(pause["pending"] as? Bool == true)
                #expect(workspace.exists(".ralph/stop-requested"))
                try workspace.put(".ralph-go")
                try await server.waitFor(id, "phase", "suspended")
                try workspace.remove(".ralph-go")
            }
            try await outsider.waitForExit()
            try await serve(workspace) { server, workspace in
                let id = try await server.waitForSession("project", events: 1)
                #expect(try await server.status(id)["status"] as? String == "paused")
                #expect(try await server.post("/api/sessions/\(id)/resume").status == 200)
                try await server.waitFor(id, "status", "running")
                try await eventually(within: .seconds(10), "session.resumed") {
                    try await server.topics(id).contains("session.resumed")
                }
                let stop = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
                #expect(stop.status == 200)
                #expect(workspace.processes.isEmpty)
            }
        }
    }

    @Test func `a purged session is back when a run worked in it while no server looked`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            try await serve(workspace) { server, workspace in
                let id = try await server.start()
                #expect(
                    try await server.send("DELETE", "/api/sessions/\(id)?force=1&purge=true").status == 200)
                #expect(try await server.get("/api/sessions").text == "[]")
            }
            try await serve(workspace) { server, _ in
                let list = try await server.get("/api/sessions")
                #expect(list.text == "[]")
            }
            try workspace.setSteps("always:\n  complete\n")
            try await workspace.run().waitForExit()
            #expect(!workspace.exists(".ralph/loop.lock") || workspace.liveProcesses().isEmpty)
            try await serve(workspace) { server, _ in
                let id = try await server.waitForSession("project", events: 1)
                #expect(try await server.status(id)["status"] as? String == "completed")
            }
        }
    }

    @Test func `an orphaned agent is shown, found by the next server, and stopped`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            let outsider = try workspace.run()
            try await eventually(within: .seconds(10), "an agent") { !workspace.agents().isEmpty }
            outsider.signal(SIGTERM)
            try await outsider.waitForExit()
            #expect(!workspace.agents().isEmpty)
            try await serve(workspace) { server, workspace in
                let id = try await server.waitForSession("project", events: 1)
                let status = try await server.status(id)
                #expect(status["phase"] as? String == "orphaned")
                #expect(status["status"] as? String == "error")
                #expect((status["orphans"] as? [Int])?.isEmpty == false)
                let start = try await server.post(
                    "/api/sessions", #"{"working_dir":"project","prompt":"quagga go"}"#)
                #expect(start.status == 409, "two agents would work in one directory: \(start.text)")
                #expect(try start.object()["error"] as? String == "already_running")
                #expect(try await server.status(id)["phase"] as? String == "orphaned")
                _ = try await server.send("DELETE", "/api/sessions/\(id)")
                #expect(workspace.processes.isEmpty)
                #expect(try await server.status(id)["orphans"] == nil)
            }
        }
    }

    @Test func `a run whose workspace was deleted is stopped with all that it started`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: Self.steps)) { workspace in
            try await serve(workspace) { server, workspace in
                let id = try await server.start()
                try await eventually(within: .seconds(10), "an agent") { workspace.processes.count >= 2 }
                try workspace.outside.remove("project")
                let stop = try await server.send("DELETE", "/api/sessions/\(id)?force=1")

                #expect(stop.status == 200)
                #expect(workspace.processes.isEmpty)
                #expect(try await server.status(id)["mode"] as? String == "complete")
            }
        }
    }
}
