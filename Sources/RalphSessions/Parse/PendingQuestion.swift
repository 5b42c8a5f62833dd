/// A `human.interact` that no `human.response` followed yet.
package struct PendingQuestion: Sendable, Codable, Equatable {
    /// The payload's text, or its `question` where the payload is an object; at most 8 KiB.
    package var text: String
    /// Milliseconds since 1970.
    package var askedAt: Int64
    /// The iteration that asked.
    package var iteration: Int
    /// A later iteration ended meanwhile: nobody waits for the answer any more (contract 6.5).
    package var isOvertaken: Bool

    package init(text: String, askedAt: Int64, iteration: Int, isOvertaken: Bool = false) {
        self.text = text
        self.askedAt = askedAt
        self.iteration = iteration
        self.isOvertaken = isOvertaken
    }
}
