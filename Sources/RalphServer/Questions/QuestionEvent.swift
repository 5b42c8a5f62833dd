import RalphWire

/// A `server` event about a question.
struct QuestionEvent: Sendable, Equatable {
    /// What it is called; also its topic.
    enum Kind: String, Sendable {
        case reminder = "question.reminder"
        case expired = "question.expired"
        case answered = "question.answered"
    }

    let kind: Kind
    /// The payload, a JSON object's text.
    let payload: String

    /// A share of the time has gone by.
    static func reminder(_ question: Question, percent: Int, now: Int64) -> QuestionEvent {
        var payload = self.payload(question)
        payload.add("percent", percent)
        payload.add("remaining_secs", max(0, ((question.timeoutAt ?? now) - now) / 1000))
        payload.add("timeout_at", Timestamp.text(question.timeoutAt ?? now))
        return QuestionEvent(kind: .reminder, payload: payload.text)
    }

    /// Nobody can answer any more; says why: `timeout`, `overtaken` or `ended`.
    static func expired(_ question: Question) -> QuestionEvent {
        var payload = self.payload(question)
        payload.add("reason", question.standing == .expired ? "timeout" : question.standing.rawValue)
        return QuestionEvent(kind: .expired, payload: payload.text)
    }

    /// Somebody answered; says on which channel.
    static func answered(_ question: Question, channel: String) -> QuestionEvent {
        var payload = self.payload(question)
        payload.add("channel", channel)
        return QuestionEvent(kind: .answered, payload: payload.text)
    }

    /// What all of them say.
    private static func payload(_ question: Question) -> JSONObjectText {
        var payload = JSONObjectText()
        payload.add("question_id", question.id)
        payload.add("iteration", question.iteration)
        return payload
    }
}
