import RalphWire

/// What a change of the book asks its owner to do, in this order.
enum QuestionEffect: Sendable, Equatable {
    /// Store the question as it is now.
    case save(String)
    /// Tell the followers of the session.
    case tell(SessionID, QuestionEvent)
}
