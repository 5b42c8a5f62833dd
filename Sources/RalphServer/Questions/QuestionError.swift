import RalphWire

/// Why an answer to a question was refused or failed.
enum QuestionError: Error, Sendable, Equatable {
    case unknown
    /// With another text, or on another channel.
    case alreadyAnswered
    /// Nobody waits any more; what became of the question.
    case expired(Question.Standing)
    /// The run waits for the answer to the older question of this id, and would take this text for it.
    case notFirst(String)
    /// The answer could not be stored, so it was not delivered.
    case notStored(String)
    /// The answer could not be written where the run looks for it.
    case notDelivered(String)

    /// Whether a held answer that met `error` may reach its run later. What is refused stays so.
    static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case QuestionError.notDelivered: true
        case is QuestionError: false
        // A session that is not known may only be out of sight.
        case let problem as Problem: problem.status >= 500 || problem.code == .notFound
        default: true
        }
    }
}
