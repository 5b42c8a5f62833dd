/// A `human.interact` that no `human.response` followed yet.
package struct PendingQuestion: Sendable, Codable, Equatable {
    /// How many of a session are kept: a new one takes the place of the oldest that is overtaken, or none.
    package static let maximumKept = 64

    /// The payload's text, or its `question` where the payload is an object; at most 8 KiB.
    package var text: String
    /// Milliseconds since 1970.
    package var askedAt: Int64
    /// The iteration that asked.
    package var iteration: Int
    /// A later iteration ended meanwhile: nobody waits for the answer any more (contract 6.5).
    package var isOvertaken: Bool
    /// Where its row stands; stays what it is for as long as the question is. `nil`: a version that did not
    /// keep it stored the question.
    package var place: Place?
    /// The hat that asked, in lower case; `nil`: not known.
    package var hat: String?
    /// What the payload offers as answers; `nil`: nothing, or what cannot be shown: then ``text`` is all of the payload.
    package var options: [String]?

    /// The place of a row.
    package struct Place: Sendable, Codable, Hashable {
        /// As in ``EventBatch/Context/file``.
        package var file: String
        package var generation: Int
        /// In bytes from the start of the file.
        package var offset: Int64

        package init(file: String, generation: Int, offset: Int64) {
            self.file = file
            self.generation = generation
            self.offset = offset
        }
    }

    package init(
        text: String, askedAt: Int64, iteration: Int, place: Place? = nil, hat: String? = nil,
        options: [String]? = nil
    ) {
        self.text = text
        self.askedAt = askedAt
        self.iteration = iteration
        isOvertaken = false
        self.place = place
        self.hat = hat
        self.options = options
    }
}
