import Hummingbird
import RalphControl
import RalphWire

/// Questions of runs to people, their answers, and guidance (http-contract 9).
struct RobotRoutes: Routes {
    /// UTF-8 bytes of an answer; more is 413.
    static let maximumAnswerBytes = 64 << 10

    let questions: QuestionBook
    let commands: SessionCommands

    static let endpoints: [Endpoint<Self>] = [
        .init(.get, "/api/robot/questions", .watch, list),
        .init(.post, "/api/robot/response", .answer, answer),
        .init(.post, "/api/robot/guidance", .answer, guide),
    ]

    /// `GET /api/robot/questions`: the open ones of all sessions, oldest first.
    @Sendable private func list(_ request: Request, _ context: SessionRequestContext) async throws -> Response
    {
        let now = WallClock.milliseconds()
        return try JSONResponse.encode(
            QuestionObject.List(questions: questions.list().map { QuestionObject($0, now: now) }))
    }

    /// `POST /api/robot/response`: the first answer counts.
    @Sendable private func answer(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.read(request)
        guard let id = try body.string("question_id", limit: 256) else {
            throw Problem.invalidRequest("question_id is required")
        }
        guard let text = try body.words("response_text", limit: Self.maximumAnswerBytes) else {
            throw Problem.invalidRequest("response_text cannot be empty")
        }
        if RestartWords.isFound(in: text) { throw Problem.invalidRequest(RestartWords.reason) }
        let session = await questions.session(of: id)
        let answer = try await commands.control.command(
            "answer", on: session, by: context.caller, detail: id
        ) { [control = commands.control] _ in
            let requester = control.requester(context.caller)
            return QuestionAnswer(id, try await questions.answer(id, with: text, by: requester))
        }
        return try JSONResponse.encode(answer)
    }

    /// `POST /api/robot/guidance`: steers a session.
    @Sendable private func guide(_ request: Request, _ context: SessionRequestContext) async throws
        -> Response
    {
        let body = try await RequestObject.read(request)
        guard let name = try body.string("session_id", limit: 64) else {
            throw Problem.invalidRequest("session_id is required")
        }
        guard let text = try body.words("guidance_text", limit: SessionCommands.maximumSteeringBytes) else {
            throw Problem.invalidRequest("guidance_text cannot be empty")
        }
        let session = try commands.catalogue.resolve(name[...])
        let steered = try await commands.steer(session, text, urgent: false, by: context.caller)
        return try JSONResponse.encode(GuidanceAnswer(session, steered))
    }
}
