import RalphSessions
import RalphWire

/// Answers to questions.
extension SessionController {
    /// How long an answer that comes late is watched until the run has taken or left it: it looks every 250 ms.
    private static let lateGrace = Duration.milliseconds(600)
    /// How long the row may take that a run writes of an answer behind removing the question.
    private static let rowGrace = Duration.seconds(2)

    /// Answers a question on the channel on which it waits (contract 6.5, 6.6).
    ///
    /// - Parameter lateFrom: when the time of the run's wait is nearly over, milliseconds since 1970: from then on it may give
    ///   up before it has looked at the robot's file once more. `nil`: it waits.
    /// - Returns: `false` where it did, or does not ask any more; nothing of the answer is left then.
    @discardableResult
    package nonisolated func answer(
        _ answer: HumanAnswer, lateFrom: Int64? = nil, by requester: Requester, marker: String
    ) async throws(ControlError) -> Bool {
        try await inTurn(.message, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> Bool in
            try await controller.answerInTurn(answer, lateFrom, marker)
        }
    }

    private func answerInTurn(
        _ answer: HumanAnswer, _ lateFrom: Int64?, _ marker: String
    ) async throws(ControlError) -> Bool {
        guard !RestartWords.isFound(in: answer.text) else {
            throw .topicRefused(topic: "human.response", reason: RestartWords.reason)
        }
        let run = try await requireRun()
        guard run.phase != .halted else { throw .notRunning(status: "paused") }
        switch answer {
        case .row(let text):
            if !waitsForRow(run) { _ = try requireScope("human.response", run) }
            if isPausedByEnd(run) { try sayAgain(to: run) }
            try append("human.response", EventRow.string(answerText(text, run)), marker, to: run)
            return true
        case .web(let id, let loopID, let token, let text):
            _ = try files.handle()
            // Somebody else may have answered it before this one's turn came.
            guard files.asks(token: token) else { return false }
            let now = WallClock.milliseconds()
            try files.respond(id: id, loopID: loopID, token: token, text: text)
            return now < lateFrom ?? .max ? true : await isTaken(token, since: now)
        }
    }

    /// Whether the run took the answer with `token` that lies in the robot's file since `time`: it removes the question and
    /// writes a row then, and no row where its time was over. What it left is taken away.
    private func isTaken(_ token: String, since time: Int64) async -> Bool {
        let isOver = await wait(Self.lateGrace) {
            !files.asks(token: token) || events.holdsAnswer(since: time)
        }
        // It waits still, for whatever reason, and finds the answer.
        guard isOver else { return true }
        if await wait(Self.rowGrace, until: { events.holdsAnswer(since: time) }) { return true }
        do throws(ControlError) {
            try files.withdrawResponse(token: token)
        } catch {
            warn("an answer that nobody waits for was left", error)
        }
        return false
    }
}
