import RalphWire

/// A question on the wire (http-contract 9); member names are the wire's.
struct QuestionObject: Encodable, Sendable {
    /// All of them.
    struct List: Encodable, Sendable {
        let questions: [QuestionObject]
    }

    /// What `timeout_at` says where there is none: it must not be null. 9999-12-31.
    static let never: Int64 = 253_402_214_400_000

    let id: String
    let question_text: String
    let session_id: String
    let asked_at: String
    let timeout_at: String
    let expires: Bool
    let iteration: Int
    let hat: String?
    let channel: String
    let blocking: Bool
    let options: [String]?

    /// - Parameter now: milliseconds since 1970; the time of a question that the run does not wait for yet has
    ///   not begun.
    init(_ question: Question, now: Int64) {
        id = question.id
        question_text = question.text
        session_id = question.session.rawValue
        asked_at = Timestamp.text(question.askedAt)
        let end = question.timeoutAt.map {
            question.isWaitAhead ? max($0, now + ($0 - question.askedAt)) : $0
        }
        timeout_at = Timestamp.text(end ?? Self.never)
        expires = question.timeoutAt != nil
        iteration = question.iteration
        hat = question.hat
        channel = question.channel.rawValue
        blocking = question.isBlocking
        options = question.options.isEmpty ? nil : question.options
    }

    private enum CodingKeys: String, CodingKey {
        case id, question_text, session_id, asked_at, timeout_at, expires, iteration, hat, channel, blocking
        case options
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(question_text, forKey: .question_text)
        try container.encode(session_id, forKey: .session_id)
        try container.encode(asked_at, forKey: .asked_at)
        try container.encode(timeout_at, forKey: .timeout_at)
        try container.encode(expires, forKey: .expires)
        try container.encode(iteration, forKey: .iteration)
        try container.encode(hat, forKey: .hat)  // null, not absent (http-contract 9)
        try container.encode(channel, forKey: .channel)
        try container.encode(blocking, forKey: .blocking)
        try container.encodeIfPresent(options, forKey: .options)
    }
}
