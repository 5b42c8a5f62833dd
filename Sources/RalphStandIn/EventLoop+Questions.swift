import Foundation

/// How a question blocks a run and how it is released (contract 6.5, 6.6).
extension EventLoop {
    /// Waits for a human, if there is a way to reach one: no robot, or a worktree loop, goes on at once. What is asked
    /// meanwhile is asked afterwards.
    func ask(_ first: IncomingEvent) throws(StandInError) {
        guard let robot = configuration.robot, context.isPrimary else { return }
        var next: IncomingEvent? = first
        while let question = next {
            next = nil
            state.questions += 1
            let answer =
                switch robot.mode {
                case .web: try askWeb(question, robot)
                case .telegram: try askTelegram(robot)
                }
            if let answer {
                next = try readOn(without: answer)
                publish(IncomingEvent(topic: "human.response", payload: answer))
            } else {
                context.say("WARN Human response timeout — injecting human.timeout event")
                send(IncomingEvent(topic: "human.timeout", payload: question.payload))
            }
        }
        streamPublished()
    }

    /// Asks `isAnswered` every 250 ms until it gives an answer, the time is over or a signal has come. Nothing else
    /// is looked at: a stop file waits.
    private func waitForAnswer(
        _ robot: Robot, _ answer: () throws(StandInError) -> String?
    ) throws(StandInError) -> String? {
        let end = Moment.monotonicMilliseconds + robot.timeoutSeconds * 1000
        while robot.timeoutSeconds == 0 || Moment.monotonicMilliseconds < end {
            if let text = try answer() { return text }
            if Interrupt.isRequested { return nil }
            Moment.pause(milliseconds: 250)
            pumpInput()
        }
        return nil
    }

    /// The answer is a row of the events file that comes after the question and has a text.
    private func askTelegram(_ robot: Robot) throws(StandInError) -> String? {
        var answers = EventReader(path: events.path)
        try writeTelegramState(
            .object([
                JSONMember(
                    "main",
                    .object([
                        JSONMember("asked_at", .string(Moment().zuluText)),
                        JSONMember("message_id", .integer(100 + state.questions)),
                    ]))
            ]))
        let answer = try waitForAnswer(robot) {
            answers.read().events.first { $0.topic == "human.response" && $0.isText }?.payload
        }
        try writeTelegramState(.object([]))
        return answer
    }

    private func writeTelegramState(_ questions: JSONValue) throws(StandInError) {
        let text = JSONValue.object([
            JSONMember("chat_id", .integer(42)), JSONMember("last_seen", .null),
            JSONMember("last_update_id", .integer(0)), JSONMember("pending_questions", questions),
        ])
        try TextFile.replace(workspace.telegramState, with: text.pretty)
    }

    /// The answer is a file; the row is written by ralph itself. A row of somebody else releases nothing.
    private func askWeb(_ question: IncomingEvent, _ robot: Robot) throws(StandInError) -> String? {
        let number = state.questions
        let token = "main-\(number)-\(Moment().microseconds)"
        let body = questionBody(question)
        let file = JSONValue.object([
            JSONMember("hat", .string("ralph")), JSONMember("id", .integer(number)),
            JSONMember("iteration", .integer(state.iteration)), JSONMember("loop_id", .string("main")),
            JSONMember("payload", .string(body.compact)), JSONMember("payload_json", body),
            JSONMember("response_token", .string(token)),
            JSONMember("timeout_seconds", .integer(robot.timeoutSeconds)),
            JSONMember("timestamp", .string(Moment().offsetText)),
        ])
        try TextFile.replace(workspace.robotQuestion, with: file.pretty)
        let answer = try waitForAnswer(robot) { takeResponse(id: number, token: token) }
        TextFile.remove(workspace.robotQuestion)
        TextFile.remove(workspace.robotResponse)
        if let answer { try events.appendSimple(topic: "human.response", payload: .string(answer)) }
        return answer
    }

    /// Takes what was appended while it waited, but for the row of the answer, which it has.
    ///
    /// - Returns: the first question in it.
    private func readOn(without answer: String) throws(StandInError) -> IncomingEvent? {
        var batch = reader.read()
        if let row = batch.events.firstIndex(where: { $0.topic == "human.response" && $0.payload == answer })
        {
            batch.events.remove(at: row)
        }
        return try process(batch)
    }

    private func questionBody(_ question: IncomingEvent) -> JSONValue {
        let given = JSONParser.parse(question.payload ?? "")
        var members = [
            JSONMember("hat", .string("ralph")), JSONMember("iteration", .integer(state.iteration)),
        ]
        if case .object(let own) = given {
            members += own
        } else {
            members.append(JSONMember("question", .string(question.payload ?? "")))
        }
        return JSONValue.object(members).sorted
    }

    /// The response file's text if it answers this question. One for another question is stale and removed; one
    /// that lacks a member is left alone, and never said to be so.
    private func takeResponse(id: Int, token: String) -> String? {
        guard let text = TextFile.read(workspace.robotResponse), let file = JSONParser.parse(text),
            let given = file["id"]?.integer, let loop = file["loop_id"]?.text,
            let proof = file["response_token"]?.text,
            let answer = ["response", "message", "text", "payload"].lazy.compactMap({ file[$0]?.text }).first
        else { return nil }
        guard given == id, loop == "main", proof == token else {
            TextFile.remove(workspace.robotResponse)
            return nil
        }
        return answer
    }

    /// The heart-beat of contract 6.6, if it is configured.
    func writeCheckin() throws(StandInError) {
        guard let robot = configuration.robot, robot.mode == .web, context.isPrimary,
            let interval = robot.checkinSeconds,
            Moment.monotonicMilliseconds - lastCheckin >= interval * 1000
        else { return }
        lastCheckin = Moment.monotonicMilliseconds
        let text = JSONValue.object([
            JSONMember(
                "context",
                .object([
                    JSONMember("closed_tasks", .integer(0)),
                    JSONMember("cumulative_cost", .fraction(state.totalCost)),
                    JSONMember("current_hat", .string("ralph")), JSONMember("open_tasks", .integer(0)),
                ])),
            JSONMember("elapsed_millis", .integer(state.elapsedMilliseconds)),
            JSONMember("elapsed_seconds", .integer(state.elapsedMilliseconds / 1000)),
            JSONMember("iteration", .integer(state.iteration)), JSONMember("loop_id", .string("main")),
            JSONMember("timestamp", .string(Moment().offsetText)),
        ])
        try TextFile.replace(workspace.robotCheckin, with: text.pretty)
    }
}
