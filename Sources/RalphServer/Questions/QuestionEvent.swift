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
        var payload = Payload(question)
        payload.add("percent", number: Int64(percent))
        payload.add("remaining_secs", number: max(0, ((question.timeoutAt ?? now) - now) / 1000))
        payload.add("timeout_at", text: Timestamp.text(question.timeoutAt ?? now))
        return QuestionEvent(kind: .reminder, payload: payload.finished)
    }

    /// Nobody can answer any more; says why: `timeout`, `overtaken` or `ended`.
    static func expired(_ question: Question) -> QuestionEvent {
        var payload = Payload(question)
        payload.add(
            "reason", text: question.standing == .expired ? "timeout" : question.standing.rawValue)
        return QuestionEvent(kind: .expired, payload: payload.finished)
    }

    /// Somebody answered; says on which channel.
    static func answered(_ question: Question, channel: String) -> QuestionEvent {
        var payload = Payload(question)
        payload.add("channel", text: channel)
        return QuestionEvent(kind: .answered, payload: payload.finished)
    }

    /// Writes the object.
    private struct Payload {
        private var bytes = Array("{".utf8)

        init(_ question: Question) {
            add("question_id", text: question.id)
            add("iteration", number: Int64(question.iteration))
        }

        mutating func add(_ name: String, text: String) {
            begin(name)
            JSONText.appendString(text, to: &bytes)
        }

        mutating func add(_ name: String, number: Int64) {
            begin(name)
            JSONText.appendInteger(number, to: &bytes)
        }

        private mutating func begin(_ name: String) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            JSONText.appendString(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
        }

        var finished: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }
    }
}
