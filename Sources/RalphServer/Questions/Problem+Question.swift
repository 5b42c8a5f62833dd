import RalphWire

/// How HTTP says what became of an answer (http-contract 9).
extension Problem {
    init(_ error: QuestionError) {
        switch error {
        case .unknown:
            self.init(status: 404, error: "question_not_found", code: .notFound)
        case .alreadyAnswered:
            self.init(
                status: 409, error: "question_already_answered", code: .conflict,
                details: "The first answer counts, whoever gave it.")
        case .expired(let standing):
            self.init(
                status: 410, error: "question_expired", code: .gone, details: Self.sentence(standing))
        case .notFirst(let first):
            self.init(
                status: 409, error: "question_not_first", code: .conflict,
                details: "The run waits for the answer to \(first) and would take this one for it.")
        case .notStored(let why):
            self.init(status: 503, error: "store_unavailable", code: .unavailable, details: why)
        case .notDelivered(let why):
            self.init(status: 500, error: "failed to write event: \(why)", code: .internalError)
        }
    }

    private static func sentence(_ standing: Question.Standing) -> String {
        switch standing {
        case .expired: "Nobody answered in time."
        case .overtaken: "The run has gone on without an answer."
        case .ended: "The run is over, or no process of it can be seen."
        case .open, .answered: "Nobody waits for the answer any more."
        }
    }
}
