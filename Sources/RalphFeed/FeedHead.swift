/// How far the record of one session reaches.
package struct FeedHead: Sendable, Equatable {
    /// The oldest seq that ``EventFeed/stored(_:after:limit:)`` still has; `last` + 1 if there is none.
    package var firstKept: Int64 = 1
    /// The newest seq; 0 before the first event.
    package var last: Int64 = 0
    /// The global id of the newest event; 0 before the first.
    package var lastGlobalID: Int64 = 0
    /// What `ts` of the newest event says, in milliseconds since 1970; 0 before the first.
    package var newestTimestamp: Int64 = 0

    /// The head of a session without events, or with what is given.
    package init(firstKept: Int64 = 1, last: Int64 = 0, lastGlobalID: Int64 = 0, newestTimestamp: Int64 = 0) {
        self.firstKept = firstKept
        self.last = last
        self.lastGlobalID = lastGlobalID
        self.newestTimestamp = newestTimestamp
    }
}
