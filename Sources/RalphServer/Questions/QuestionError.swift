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
}
