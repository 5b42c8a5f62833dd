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
        _ body: @Sendable @escaping (RunningServer, WorkspaceHandle) async throws -> Void
    ) async throws {
        try await withControl(
            steps: Self.steps, { $0.isRepository = true }, configure: { $0.roots[0] += "/project" }, body)
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
        try await withRepository { server, workspace in
            _ = try await server.post("/api/loops", #"{"prompt":"quagga one"}"#)
            let started = try await server.post("/api/loops", #"{"prompt":"quagga two"}"#).object()
            let id = try #require(started["id"] as? String)
            try workspace.put(".worktrees/\(id)/.ralph-go")
            try await eventually(within: .seconds(20), "end of \(id)") {
                try await loops(server).first { $0["id"] as? String == id }?["alive"] as? Bool == false
            }

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
}
