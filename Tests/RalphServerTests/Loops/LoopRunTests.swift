import Foundation
import RalphServer
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

/// Loops of a real git repository, run by the stand-in.
@Suite(.timeLimit(.minutes(1)))
struct LoopRunTests {
    private static let steps = """
        always:
          wait-for .ralph-go
          touch made-by-agent.txt
          complete
        """

    private func withRepository(
        _ sections: String = "",
        _ body: @Sendable @escaping (RunningServer, WorkspaceHandle) async throws -> Void
    ) async throws {
        try await withControl(
            steps: Self.steps,
            {
                $0.isRepository = true
                $0.sections = sections
            }, configure: { $0.roots[0] += "/project" }, body)
    }

    /// The id of a loop that ended beside a primary that goes on.
    private func endedLoop(_ server: RunningServer, _ workspace: WorkspaceHandle) async throws -> String {
        let id = try await startedLoop(server)
        try await end(id, server, workspace)
        return id
    }

    /// Lets a loop in a worktree come to its end.
    private func end(_ id: String, _ server: RunningServer, _ workspace: WorkspaceHandle) async throws {
        try workspace.put(".worktrees/\(id)/.ralph-go")
        try await eventually(within: .seconds(20), "end of \(id)") {
            try await loops(server).first { $0["id"] as? String == id }?["alive"] as? Bool == false
        }
    }

    /// The id of a loop that runs beside a primary.
    private func startedLoop(_ server: RunningServer) async throws -> String {
        _ = try await server.post("/api/loops", #"{"prompt":"quagga one"}"#)
        let started = try await server.post("/api/loops", #"{"prompt":"quagga two"}"#).object()
        return try #require(started["id"] as? String)
    }

    private func expectRefusals(_ server: RunningServer, _ id: String, _ error: String) async throws {
        for action in ["merge", "discard"] {
            let response = try await server.post("/api/loops/\(id)/\(action)")
            #expect(response.status == 409)
            #expect(try response.object()["error"] as? String == "\(error): \(id)")
        }
    }

    private func loops(_ server: RunningServer) async throws -> [[String: Any]] {
        try await server.get("/api/loops").object()["loops"] as? [[String: Any]] ?? []
    }

    @Test func `without a run a loop becomes the primary, and the next one gets a worktree`() async throws {
        try await withRepository { server, workspace in
            let first = try await server.post("/api/loops", #"{"prompt":"quagga one"}"#)
            #expect(first.status == 201)
            #expect(try first.object()["primary"] as? Bool == true)
            #expect(try first.object()["worktree_path"] as? String == workspace.path)

            let marker = workspace.text(".ralph/current-loop-id")
            #expect(try first.object()["id"] as? String == marker.trimmingCharacters(in: .newlines))

            let second = try await server.post("/api/loops", #"{"prompt":"quagga two","base_branch":"main"}"#)
            let started = try second.object()
            let id = try #require(started["id"] as? String)
            #expect(second.status == 201)
            #expect(started["status"] as? String == "starting")
            #expect(started["worktree_path"] as? String == workspace.path + "/.worktrees/" + id)
            #expect(workspace.exists(".worktrees/\(id)/.git"))

            let loops = try await loops(server)
            #expect(loops.compactMap { $0["status"] as? String } == ["primary", "worktree"])
            #expect(loops.allSatisfy { $0["alive"] as? Bool == true })
            let merge = try await server.post("/api/loops/\(id)/merge")
            #expect(merge.status == 409)
        }
    }

    @Test func `a primary that follows another one is told with its own id and status`() async throws {
        try await withRepository { server, workspace in
            _ = try await server.post("/api/loops", #"{"prompt":"quagga one"}"#)
            let old = workspace.text(".ralph/current-loop-id")
            let second = time(nil)
            let session = SessionDirectory(workspace: workspace.path).id.rawValue
            #expect(try await server.post("/api/sessions/\(session)/stop").status == 200)
            // Primaries are named by the second of their start.
            try await eventually(within: .seconds(5), "another second") { time(nil) != second }

            let next = try await server.post("/api/loops", #"{"prompt":"quagga three"}"#)

            let status = try await server.get("/api/sessions/\(session)/status").object()
            #expect(status["status"] as? String == "running")
            let id = try #require(next.object()["id"] as? String)
            #expect(id != old.trimmingCharacters(in: .newlines))
            #expect(try await server.get("/api/loops/\(id)").status == 200)
        }
    }

    @Test(arguments: ["merge", "discard"])
    func `a loop that ended is taken in or thrown away`(_ action: String) async throws {
        try await withRepository("features: {auto_merge: true}") { server, workspace in
            let id = try await endedLoop(server, workspace)
            let response = try await server.post("/api/loops/\(id)/\(action)")
            let job = try ClientAnswer.decode(ClientModels.LoopJob.self, response)
            #expect(job.success)
            #expect(job.message == "Loop \(id) \(action == "merge" ? "merged" : "discarded") successfully")
            let queue = try await server.get("/api/merge-queue").object()
            let item = (queue["completed"] as? [[String: Any]])?.first
            #expect(item?["id"] as? String == id)
            #expect(item?["status"] as? String == (action == "merge" ? "completed" : "failed"))
            #expect(!workspace.exists(".worktrees/\(id)"))
            for again in ["merge", "discard"] {
                let response = try await server.post("/api/loops/\(id)/\(again)")
                #expect(response.status == 409)
                let state = action == "merge" ? "merged" : "discarded"
                #expect(try response.object()["error"] as? String == "loop_already_\(state): \(id)")
            }
        }
    }

    @Test func `a loop that was never queued is thrown away without a word in the queue`() async throws {
        try await withRepository { server, workspace in
            let id = try await endedLoop(server, workspace)
            let response = try await server.post("/api/loops/\(id)/discard")
            #expect(response.status == 200, "\(response.text)")
            #expect(!workspace.exists(".worktrees/\(id)"))
            let queue = try await server.get("/api/merge-queue").object()
            #expect((queue["completed"] as? [[String: Any]])?.isEmpty == true)
            try await eventually(within: .seconds(20), "it is known no more") {
                try await server.post("/api/loops/\(id)/discard").status == 404
            }
        }
    }

    @Test func `a loop that is paused by its end is left alone until it is stopped`() async throws {
        try await withRepository { server, workspace in
            _ = try await server.post("/api/loops", #"{"prompt":"quagga one"}"#)
            let run = try StandInProcess(
                StandIn.ralph, ["run", "--rpc", "-p", "quagga two"],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": workspace.outside.path],
                directory: workspace.path, files: workspace.outside.path + "/loop", hasInput: false)
            var (id, session) = ("", "")
            try await eventually(within: .seconds(20), "its session") {
                let loop = try await loops(server).first { $0["status"] as? String == "worktree" }
                id = loop?["id"] as? String ?? ""
                session = loop?["session_id"] as? String ?? ""
                return !session.isEmpty && loop?["alive"] as? Bool == true
            }
            #expect(try await server.post("/api/sessions/\(session)/pause").status == 200)
            try workspace.put(".worktrees/\(id)/.ralph-go")
            #expect(try await run.waitForExit() == .code(1))
            try await server.waitFor(session, "phase", "suspended")

            try await expectRefusals(server, id, "loop_still_running")

            #expect(workspace.exists(".worktrees/\(id)/.git"))
            #expect(try await server.send("DELETE", "/api/sessions/\(session)").status == 200)
            let discard = try await server.post("/api/loops/\(id)/discard")
            #expect(discard.status == 200, "\(discard.text)")
        }
    }

    @Test func `no merge and no loop takes the place of a primary that is paused by its end`() async throws {
        try await withRepository { server, workspace in
            let run = try StandInProcess(
                StandIn.ralph, ["run", "--rpc", "-p", "quagga one"],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": workspace.outside.path],
                directory: workspace.path, files: workspace.outside.path + "/primary", hasInput: false)
            var session = ""
            try await eventually(within: .seconds(20), "its session") {
                let loop = try await loops(server).first { $0["status"] as? String == "primary" }
                session = loop?["session_id"] as? String ?? ""
                return !session.isEmpty && loop?["alive"] as? Bool == true
            }
            let beside = try await server.post("/api/loops", #"{"prompt":"quagga two"}"#).object()
            let id = try #require(beside["id"] as? String)
            try await end(id, server, workspace)
            let primary = workspace.text(".ralph/current-loop-id").trimmingCharacters(in: .newlines)
            #expect(try await server.post("/api/sessions/\(session)/pause").status == 200)
            // It would wait for the end of the primary, which is that by the pause.
            let early = try await server.post("/api/loops/\(id)/merge")
            #expect(try early.object()["error"] as? String == "loop_still_running: \(primary)")
            try workspace.put(".ralph-go")
            #expect(try await run.waitForExit() == .code(1))
            try await server.waitFor(session, "phase", "suspended")

            let merge = try await server.post("/api/loops/\(id)/merge")
            #expect(merge.status == 409)
            #expect(try merge.object()["error"] as? String == "loop_still_running: \(primary)")
            let start = try await server.post("/api/loops", #"{"prompt":"quagga three"}"#)
            #expect(start.status == 409)
            #expect(try start.object()["error"] as? String == "already_running")
            #expect(try start.object()["session_id"] as? String == session)

            let discard = try await server.post("/api/loops/\(id)/discard")
            #expect(discard.status == 200, "\(discard.text)")
            #expect(try await server.status(session)["phase"] as? String == "suspended")
            #expect(try await server.send("DELETE", "/api/sessions/\(session)").status == 200)
        }
    }

    @Test func `an id that Ralph would take for another loop's does nothing to that one`() async throws {
        try await withRepository { server, workspace in
            let id = try await startedLoop(server)
            // The name of the directory is a part of every loop's branch.
            let git = try StandInProcess(
                "git", ["worktree", "add", "-q", "-b", "other", ".worktrees/ralph"],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": workspace.outside.path],
                directory: workspace.path, files: workspace.outside.path + "/git", hasInput: false)
            #expect(try await git.waitForExit() == .code(0))
            try workspace.put(".worktrees/ralph/.ralph/current-loop-id", "ralph")
            try workspace.put(
                ".worktrees/ralph/.ralph/events-20260102-000000.jsonl", RunningServer.lines(1...2, when: true)
            )
            try await eventually(within: .seconds(20), "the other worktree") {
                try await loops(server).contains { $0["id"] as? String == "ralph" }
            }

            try await expectRefusals(server, "ralph", "loop_id_unclear")
            // That one may have ended, and be in no list of Ralph's.
            try await end(id, server, workspace)
            try await expectRefusals(server, "ralph", "loop_id_unclear")
            #expect(workspace.exists(".worktrees/\(id)/.git"))

            let response = try await server.post("/api/loops/\(id)/discard")
            #expect(response.status == 200, "\(response.text)")
            try await expectRefusals(server, "ralph", "loop_unknown_to_ralph")
            #expect(workspace.exists(".worktrees/ralph/.git"))
        }
    }

    @Test func `a merge that waits for its turn is not begun twice, and its loop left alone`() async throws {
        try await withRepository { server, workspace in
            let id = try await endedLoop(server, workspace)
            let merge = try StandInProcess(
                StandIn.ralph, ["run", "--no-tui", "--exclusive", "-p", "merge"],
                environment: ["PATH": "/usr/local/bin:/usr/bin:/bin", "RALPH_MERGE_LOOP_ID": id],
                directory: workspace.path, files: workspace.outside.path + "/merge", hasInput: false)
            try await eventually(within: .seconds(20), "the merge") {
                ProcessSnapshot(pid: merge.pid)?.arguments.contains("--exclusive") == true
            }

            try await expectRefusals(server, id, "loop_busy")
            let start = try await server.post(
                "/api/sessions", #"{"working_dir":".worktrees/\#(id)","prompt":"quagga go"}"#)
            #expect(start.status == 409)
            #expect(try start.object()["error"] as? String == "loop_busy: \(id)")

            merge.signal(SIGKILL)
            #expect(try await merge.waitForExit() == .signal(SIGKILL))
            #expect(try await server.post("/api/loops/\(id)/discard").status == 200)
        }
    }
}
