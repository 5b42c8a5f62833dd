package import RalphWire

/// What is searched for, where, and how much of it is wanted.
package struct SearchRequest: Sendable {
    /// Hits in one page.
    package static let limits: ClosedRange<Int64> = 1...200

    package var query: SearchQuery
    /// `nil`: all sessions.
    package var session: SessionID?
    /// The hat's exact name; `nil`: any.
    package var hat: String?
    /// Later than this, milliseconds since 1970.
    package var since: Int64?
    /// Not later than this.
    package var until: Int64?
    /// Only events whose global id is smaller.
    package var before: Int64?
    /// How many hits at most, see ``limits``.
    package var limit = 50
    /// Which topics are wanted; `nil`: all. Called for each event that fits otherwise.
    package var wantsTopic: (@Sendable ([UInt8]) -> Bool)?
    /// The same of a topic as the index has it, with spaces for control characters; `nil`: as ``wantsTopic`` says.
    package var wantsIndexedTopic: (@Sendable ([UInt8]) -> Bool)?
    /// When the search is broken off.
    package var deadline: ContinuousClock.Instant

    /// Whether what is wanted of topic and hat is true of the event itself: the index tells control characters not apart.
    func wants(_ hit: SearchPage.Hit) -> Bool {
        (hat.map { $0.utf8.elementsEqual(hit.hat.utf8) } ?? true)
            && (wantsTopic.map { $0(Array(hit.topic.utf8)) } ?? true)
    }

    package init(_ query: SearchQuery, deadline: ContinuousClock.Instant) {
        self.query = query
        self.deadline = deadline
    }
}
