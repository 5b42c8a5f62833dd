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
    /// When the search is broken off.
    package var deadline: ContinuousClock.Instant

    package init(_ query: SearchQuery, deadline: ContinuousClock.Instant) {
        self.query = query
        self.deadline = deadline
    }
}
