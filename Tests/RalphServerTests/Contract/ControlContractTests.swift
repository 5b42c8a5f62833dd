import RalphServer
import RalphTestSupport
import Testing

/// What the app reads of commands, questions and loops, from real runs (http-contract 3.4, 8, 9).
@Suite(.timeLimit(.minutes(1)))
struct ControlContractTests {
    private static let asking = """
        iteration 1:
          ask Which format?
        otherwise:
          wait-for .ralph-go
          complete
        """

    @Test func `a run is started, paused, resumed, steered and stopped`() async throws {
        try await withControl { server, workspace in
            let started = try await server.post(
                "/api/sessions", #"{"working_dir":"project","prompt":"go"}"#, as: ClientModels.Started.self,
                status: 201)
            #expect(started.status == "starting")
            let path = "/api/sessions/\(started.id)"
            _ = try await server.get(path + "/status", as: ClientModels.SessionStatus.self)
            let list = try await server.get("/api/sessions", as: [ClientModels.Session].self)
            #expect(list.contains { $0.id == started.id && $0.source == .spawned })

            let paused = try await server.post(path + "/pause", as: ClientModels.Changed.self)
            #expect(paused.status == "paused")
            let resumed = try await server.post(path + "/resume", as: ClientModels.Changed.self)
            #expect(resumed.status == "running")
            #expect(resumed.result == "resumed")
            let steered = try await server.post(
                path + "/steer", #"{"message":"keep it small"}"#, as: ClientModels.Steered.self)
            #expect(steered.status == "delivered")
            let emitted = try await server.post(
                path + "/emit", #"{"topic":"review.complete","payload":{"a":1}}"#,
                as: ClientModels.Emitted.self)
            #expect(emitted.success)
            #expect(emitted.topic == "review.complete")
            let stopped = try ClientAnswer.decode(
                ClientModels.Changed.self, try await server.send("DELETE", path))
            #expect(stopped.status == "stopped")
            let again = try ClientAnswer.decode(
                ClientModels.Changed.self, try await server.send("DELETE", path))
            #expect(again.already == true)
            #expect(again.final_status == .stopped)
        }
    }

    @Test(arguments: [
        ("", #"{"config_path":"none.yml","prompt":"x"}"#, 404, "config_not_found: none.yml"),
        ("", #"{"prompt_path":"none.md"}"#, 404, "prompt_not_found: none.md"),
        ("", #"{"config_path":"none.yml","max_iterations":5.0}"#, 404, "config_not_found: none.yml"),
        (
            "", #"{"prompt":"x","max_iterations":5.5}"#, 400,
            "invalid_request: max_iterations must be a number from 1 to 10000"
        ),
        (
            "", #"{"prompt":"x","max_iterations":1e400}"#, 400,
            "invalid_request: max_iterations must be a number from 1 to 10000"
        ),
        ("", "{}", 400, "invalid_request: prompt_path or prompt is required"),
        (
            "", #"{"working_dir":"/none","prompt":"x"}"#, 400,
            "invalid_path: working directory not found: /none"
        ),
        ("/0123456789abcdef/pause", "", 404, "session_not_found"),
        ("/0123456789abcdef/emit", #"{"topic":"a"}"#, 404, "session_not_found"),
    ])
    func `a refusal has the string that the app looks for`(
        _ part: String, _ body: String, _ status: Int, _ error: String
    ) async throws {
        try await withServer { server in
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.post("/api/sessions" + part, body), status: status
            )
            #expect(problem.error == error)
        }
    }

    @Test func `a question is listed, answered, and guidance delivered`() async throws {
        try await withControl(
            steps: Self.asking, { $0.sections = "RObot: {enabled: true, mode: web, timeout_seconds: 60}" }
        ) { server, _ in
            let id = try await server.start()
            var questions: [ClientModels.Questions.Question] = []
            try await eventually(within: .seconds(20), "a question") {
                questions = try await server.get(
                    "/api/robot/questions", as: ClientModels.Questions.self
                ).questions
                return !questions.isEmpty
            }
            let question = try #require(questions.first)
            #expect(question.session_id == id)
            #expect(question.timeout_at > question.asked_at)
            let body = #"{"question_id":"\#(question.id)","response_text":"JSON"}"#
            let answered = try await server.post(
                "/api/robot/response", body, as: ClientModels.Answered.self)
            #expect(answered.success)
            #expect(answered.question_id == question.id)
            let guided = try await server.post(
                "/api/robot/guidance", #"{"session_id":"\#(id)","guidance_text":"Use tabs"}"#,
                as: ClientModels.Guided.self)
            #expect(guided.success)
            #expect(guided.session_id == id)
        }
    }

    @Test func `the recorded loops decode, without questions and an empty merge queue`() async throws {
        try await withRecordings { server, _ in
            _ = try await server.get("/api/robot/questions", as: ClientModels.Questions.self)
            let loops = try await server.get("/api/loops", as: ClientModels.Loops.self).loops
            #expect(loops.contains { $0.status == .primary })
            #expect(loops.contains { $0.status == .worktree && $0.worktree_path != nil })
            for loop in loops where loop.status == .worktree {
                _ = try await server.get(
                    "/api/loops/\(loop.id)?workspace=e-parallel-worktrees/end", as: ClientModels.Loop.self)
            }
            let queue = try await server.get("/api/merge-queue", as: ClientModels.MergeQueue.self)
            #expect((queue.pending + queue.completed).isEmpty)
        }
    }

    @Test func `a merge queue with one of each decodes`() async throws {
        let rows = [
            #"{"ts":"2026-11-21T03:20:01.5Z","loop_id":"a","event":{"type":"queued","prompt":"one"}}"#,
            #"{"ts":"2026-11-21T03:20:02Z","loop_id":"b","event":{"type":"queued","prompt":"two"}}"#,
            #"{"ts":"2026-11-21T03:20:03Z","loop_id":"b","event":{"type":"merged","commit":"abc1234"}}"#,
            #"{"ts":"2026-11-21T03:20:04Z","loop_id":"c","event":{"type":"queued","prompt":"three"}}"#,
            #"{"ts":"2026-11-21T03:20:05Z","loop_id":"c","event":{"type":"needs_review","reason":"conflict"}}"#,
        ]
        try await withServer { server in
            try server.root.write(".ralph/merge-queue.jsonl", rows.joined(separator: "\n") + "\n")
            let queue = try await server.get("/api/merge-queue", as: ClientModels.MergeQueue.self)

            #expect(queue.pending.map(\.id) == ["a"])
            #expect(Set(queue.completed.map(\.status)) == [.completed, .failed])
            #expect(queue.completed.first { $0.id == "b" }?.merged_at != nil)
        }
    }

    @Test func `a loop is started beside another and its merge refused while it runs`() async throws {
        try await withControl({ $0.isRepository = true }, configure: { $0.roots[0] += "/project" }) {
            server, workspace in
            _ = try await server.post(
                "/api/loops", #"{"prompt":"one"}"#, as: ClientModels.LoopStarted.self, status: 201)
            let loop = try await server.post(
                "/api/loops", #"{"prompt":"two"}"#, as: ClientModels.LoopStarted.self, status: 201)
            #expect(loop.status == "starting")
            let shown = try await server.get("/api/loops/\(loop.id)", as: ClientModels.Loop.self)
            #expect(shown.worktree_path == loop.worktree_path)
            let problem = try ClientAnswer.decode(
                ClientModels.Problem.self, try await server.post("/api/loops/\(loop.id)/merge"), status: 409)
            #expect(problem.code == "CONFLICT")
            try workspace.put(".worktrees/\(loop.id)/.ralph-go")
            try workspace.put(".ralph-go")
        }
    }
}
