import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Questions over HTTP, of runs of the stand-in.
@Suite(.timeLimit(.minutes(1)))
struct RobotRoutesTests {
    /// A run that asks in its first iteration.
    private static let steps = """
        always:
          log-prompt \(FileName.prompts)
        iteration 1:
          ask Which format?
        iteration 2:
          wait-for .ralph-go
        """

    private enum FileName { static let prompts = "prompts.txt" }

    private func withRobot(
        _ robot: String, _ body: @Sendable @escaping (RunningServer, WorkspaceHandle) async throws -> Void
    ) async throws {
        try await withControl(steps: Self.steps, { $0.sections = robot }, body)
    }

    private static func robot(_ mode: String, seconds: Int = 60) -> String {
        "RObot: {enabled: true, mode: \(mode), timeout_seconds: \(seconds), telegram: {bot_token: x}}"
    }

    private func questions(_ server: RunningServer) async throws -> [[String: Any]] {
        try await server.get("/api/robot/questions").object()["questions"] as? [[String: Any]] ?? []
    }

    /// Waits for the question and gives it.
    private func question(_ server: RunningServer, isBlocking: Bool) async throws -> [String: Any] {
        var found: [String: Any] = [:]
        try await eventually(within: .seconds(20), "a question") {
            found = try await questions(server).first ?? [:]
            return found["blocking"] as? Bool == isBlocking
        }
        return found
    }

    private func answer(_ server: RunningServer, _ id: Any?, _ text: String) async throws
        -> HTTPProbe.Response
    {
        try await server.post(
            "/api/robot/response", #"{"question_id":"\#(id ?? "")","response_text":"\#(text)"}"#)
    }

    @Test(arguments: ["web", "telegram"])
    func `an answer reaches the run on the channel on which it waits`(_ mode: String) async throws {
        try await withRobot(Self.robot(mode)) { server, workspace in
            let session = try await server.start()
            let question = try await question(server, isBlocking: true)
            let id = question["id"]
            #expect(question["question_text"] as? String == "Which format?")
            #expect(question["session_id"] as? String == session)
            #expect(question["channel"] as? String == (mode == "web" ? "web" : "row"))
            #expect(question["iteration"] as? Int == 1)
            #expect(question["timeout_at"] is String)

            let response = try await answer(server, id, "JSON, please")
            #expect(response.status == 200, "\(response.text)")
            #expect(try response.object()["success"] as? Bool == true)
            #expect(try response.object()["question_id"] as? String == id as? String)
            #expect(try await answer(server, id, "JSON, please").status == 200)
            let other = try await answer(server, id, "text")
            #expect(other.status == 409)
            #expect(try other.object()["error"] as? String == "question_already_answered")
            #expect(try await questions(server).isEmpty)

            try await eventually(within: .seconds(10), "the answer in a prompt") {
                workspace.text(FileName.prompts).contains("JSON, please")
            }
            try await eventually(within: .seconds(5), "the event") {
                try await server.topics(session).contains("question.answered")
            }
            let topics = try await server.topics(session)
            #expect(topics.filter { $0 == "human.response" }.count == 1)
            #expect(topics.filter { $0 == "question.answered" }.count == 1)
        }
    }

    @Test func `without a robot an answer is an event of the next iteration`() async throws {
        try await withRobot("") { server, workspace in
            _ = try await server.start()
            let question = try await question(server, isBlocking: false)
            #expect(try await answer(server, question["id"], "JSON").status == 200)
            try workspace.put(".ralph-go")
            try await eventually(within: .seconds(10), "the answer in a prompt") {
                workspace.text(FileName.prompts).contains("JSON")
            }
        }
    }

    @Test func `a question that nobody answers expires when the run goes on`() async throws {
        // A tenth of it, which the last reminder has, is longer than a machine under load stands still.
        try await withRobot(Self.robot("web", seconds: 10)) { server, _ in
            let session = try await server.start()
            let question = try await question(server, isBlocking: true)
            #expect(try await server.status(session)["pending_questions"] as? Int == 1)
            try await eventually(within: .seconds(20), "expiry") {
                try await server.topics(session).contains("question.expired")
            }
            let status = try await server.status(session)
            #expect(status["mode"] as? String == "live")
            #expect(status["pending_questions"] as? Int == 0)
            let late = try await answer(server, question["id"], "late")
            #expect(late.status == 410)
            #expect(try late.object()["error"] as? String == "question_expired")
            let topics = try await server.topics(session)
            #expect(topics.filter { $0 == "question.reminder" }.count == 2)
        }
    }

    @Test func `an answer on another channel comes first`() async throws {
        try await withRobot(Self.robot("telegram")) { server, workspace in
            let session = try await server.start()
            let question = try await question(server, isBlocking: true)
            let events = workspace.text(".ralph/current-events")
            try workspace.outside.append(
                "project/" + events,
                #"{"payload":"mine","topic":"human.response","ts":"2026-11-21T00:00:00Z"}"# + "\n")
            try await eventually(within: .seconds(10), "the event") {
                try await server.topics(session).contains("question.answered")
            }
            #expect(try await answer(server, question["id"], "mine").status == 409)
        }
    }

    @Test(arguments: [#""mine""#, #"{"mine":1}"#])
    func `a row that the run does not see answers nothing`(_ payload: String) async throws {
        let steps = Self.steps.replacing("format?", with: "format?\n  wait-for .ralph-asked")
        try await withControl(steps: steps, { $0.sections = Self.robot("telegram") }) { server, workspace in
            let session = try await server.start()
            let id = try await question(server, isBlocking: false)["id"]
            try workspace.outside.append(
                "project/" + workspace.text(".ralph/current-events"),
                #"{"payload":\#(payload),"topic":"human.response","ts":"2026-11-21T00:00:00Z"}"# + "\n")
            try await eventually(within: .seconds(10), "the row") {
                try await server.topics(session).contains("human.response")
            }
            try workspace.put(".ralph-asked")
            #expect(try await question(server, isBlocking: true)["id"] as? String == id as? String)

            #expect(try await answer(server, id, "JSON, please").status == 200)
            try await eventually(within: .seconds(10), "the answer in a prompt") {
                workspace.text(FileName.prompts).contains("JSON, please")
            }
        }
    }

    @Test func `a robot's question that cannot be read for a moment is not over`() async throws {
        try await withRobot(Self.robot("web")) { server, workspace in
            let session = try await server.start()
            let id = try await question(server, isBlocking: true)["id"]
            let file = "project/.ralph/api/robot-question.json"
            let asked = workspace.text(".ralph/api/robot-question.json")
            try workspace.outside.write(file, "{")
            let early = try await answer(server, id, "one")
            #expect(early.status == 500, "\(early.text)")

            try workspace.outside.write(file, asked)
            #expect(try await answer(server, id, "two").status == 200)
            try await eventually(within: .seconds(10), "the row") {
                try await server.topics(session).contains("human.response")
            }
        }
    }

    @Test func `of two at once one wins`() async throws {
        try await withRobot(Self.robot("web")) { server, _ in
            let session = try await server.start()
            let id = try await question(server, isBlocking: true)["id"] as? String
            async let one = answer(server, id, "one")
            async let two = answer(server, id, "two")
            #expect(try await [one.status, two.status].sorted() == [200, 409])
            try await eventually(within: .seconds(10), "the row") {
                try await server.topics(session).contains("human.response")
            }
        }
    }

    @Test(arguments: [
        (#"{"question_id":"q_0","response_text":"quagga"}"#, 404, "question_not_found"),
        (
            #"{"question_id":"q_0","response_text":"  "}"#, 400,
            "invalid_request: response_text cannot be empty"
        ),
        (#"{"response_text":"quagga"}"#, 400, "invalid_request: question_id is required"),
        (
            #"{"question_id":7,"response_text":"quagga"}"#, 400,
            "invalid_request: question_id must be a string"
        ),
        (#"[]"#, 400, "invalid_request: the body must be a JSON object"),
        ("", 400, "invalid_request: the body must be a JSON object"),
    ])
    func `a wrong answer says what is wrong with it`(
        _ body: String, _ status: Int, _ error: String
    ) async throws {
        try await withServer { server in
            let response = try await server.post("/api/robot/response", body)
            #expect(response.status == status)
            #expect(try response.object()["error"] as? String == error)
        }
    }

    @Test func `a blank with an accent on it is something said`() async throws {
        try await withServer { server in
            let accent = try await answer(server, "q_0", " \u{301}")
            #expect(accent.status == 404)
            let blank = try await answer(server, "q_0", " \u{2003}")
            #expect(blank.status == 400)
        }
    }

    @Test func `texts that end a run or are too long are refused`() async throws {
        try await withServer { server in
            let words = try await answer(server, "q_0", "please Restart RALPH")
            #expect(words.status == 400)
            #expect(try (words.object()["error"] as? String)?.contains("restart ralph") == true)
            let long = try await answer(server, "q_0", String(repeating: "a", count: 65 << 10))
            #expect(long.status == 413)
        }
    }

    @Test func `guidance steers a session`() async throws {
        try await withRobot("") { server, workspace in
            let session = try await server.start()
            let body = #"{"session_id":"\#(session)","guidance_text":"Use tabs"}"#
            let response = try await server.post("/api/robot/guidance", body)
            #expect(response.status == 200, "\(response.text)")
            #expect(try response.object()["success"] as? Bool == true)
            #expect(try response.object()["session_id"] as? String == session)
            #expect(try response.object()["delivered_at"] is String)
            #expect(try await server.topics(session).contains("human.guidance"))
            let unknown = try await server.post(
                "/api/robot/guidance", #"{"session_id":"0123456789abcdef","guidance_text":"quagga"}"#)
            #expect(unknown.status == 404)
            let empty = try await server.post(
                "/api/robot/guidance", #"{"session_id":"\#(session)","guidance_text":""}"#)
            #expect(empty.status == 400)
        }
    }
}
