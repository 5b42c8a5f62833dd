import RalphServer
import RalphTestSupport
import Testing

/// More than one hand on the controls.
@Suite(.timeLimit(.minutes(1)))
struct TwoClientsTests {
    @Test func `two clients that pause and resume at once leave the run where the files say it is`()
        async throws
    {
        // Three equal events in a row would end the run.
        let steps = (1...400).map { "iteration \($0):\n  wait 5\n  emit slice.planned part \($0)\n" }.joined()
        try await withControl(steps: steps, { $0.eventLoop = ["max_iterations: 400"] }) { server, workspace in
            let id = try await server.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for command in ["pause", "resume"] {
                    group.addTask {
                        for _ in 0..<10 {
                            let status = try await server.post("/api/sessions/\(id)/\(command)").status
                            #expect(status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            _ = try await server.post("/api/sessions/\(id)/pause")
            try await server.waitFor(id, "phase", "suspended")
            #expect(workspace.exists(".ralph/suspend-state.json"))
            let topics = try await server.topics(id).filter {
                $0.hasPrefix("session.") && $0 != "session.started"
            }
            #expect(topics.last == "session.paused")
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            #expect(workspace.processes.isEmpty)
            #expect(try await server.commands(id).allSatisfy { !$0.hasSuffix("pending") })
        }
    }

    @Test func `two stops at once are one stop`() async throws {
        try await withControl { server, workspace in
            let id = try await server.start()
            async let one = server.send("DELETE", "/api/sessions/\(id)?force=1")
            async let two = server.send("DELETE", "/api/sessions/\(id)?force=1")
            let answers = try await [one.object(), two.object()]

            #expect(answers.allSatisfy { $0["status"] as? String == "stopped" })
            #expect(answers.filter { $0["already"] as? Bool == true }.count == 1)
            #expect(try await server.topics(id).filter { $0 == "session.stopped" }.count == 1)
            #expect(workspace.processes.isEmpty)
        }
    }

    @Test func `a loop beside a living one is a session of its own`() async throws {
        try await withControl({ $0.isRepository = true }) { server, workspace in
            let main = try await server.start()
            let beside = try await server.post(
                "/api/sessions", #"{"working_dir":"project","prompt":"quagga go","worktree":true}"#)
            #expect(beside.status == 201)
            let id = try #require(try beside.object()["id"] as? String)

            #expect(id != main)
            #expect(try beside.object()["worktree"] as? Bool == true)
            #expect(try beside.object()["working_dir"] as? String != workspace.path)
            let status = try await server.status(id)
            #expect(status["worktree_of"] as? String == workspace.path)
            #expect(status["source"] as? String == "spawned")
            for id in [id, main] { _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1") }
            #expect(workspace.processes.isEmpty)
        }
    }
}
