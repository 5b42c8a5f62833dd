import RalphWire

// The answers of http-contract 9; member names are the wire's.

/// `POST /api/robot/response`.
struct QuestionAnswer: Encodable, Sendable, CommandOutcome {
    let success = true
    let question_id: String
    let delivered_at: String
    /// The run does not wait for it yet: it is stored, and delivered when the run does.
    let pending: Bool

    var outcome: String { pending ? "queued" : "accepted" }

    init(_ id: String, _ delivery: QuestionBook.Delivery) {
        question_id = id
        delivered_at = Timestamp.text(delivery.at)
        pending = delivery.isPending
    }
}

/// `POST /api/robot/guidance`; `seq` and `event_id` are absent if the row was not seen in the feed in time.
struct GuidanceAnswer: Encodable, Sendable {
    let success = true
    let session_id: String
    let delivered_at: String
    let hat_scope: HatScope?
    let seq: Int64?
    let event_id: String?

    init(_ session: SessionID, _ answer: SteerAnswer) {
        session_id = session.rawValue
        delivered_at = answer.delivered_at
        hat_scope = answer.hat_scope
        seq = answer.seq
        event_id = answer.event_id
    }
}
