import RalphWire

/// A session as the store has it when it is opened.
struct KnownSession: Sendable {
    let id: SessionID
    /// The number that stands for the session in all tables.
    let key: Int64
    let head: FeedHead
}
