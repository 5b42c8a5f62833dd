import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// When sessions that no scan has found had their last event, as the store tells. All of a state is read for that, so it is
/// kept until something is appended to the session; no more of them than the feed has heads.
final class StoredEnds: Sendable {
    private struct End {
        /// The number of the session's last event.
        let last: Int64
        /// Milliseconds since 1970.
        let time: Int64?
    }

    private let feed: EventFeed
    private let read: @Sendable (SessionID) -> SessionState?
    private let known = Mutex<[SessionID: End]>([:])

    /// - Parameter read: gives what was stored of a session's state; may block.
    init(feed: EventFeed, read: @escaping @Sendable (SessionID) -> SessionState?) {
        self.feed = feed
        self.read = read
    }

    /// When the last event of `id` was, milliseconds since 1970; `nil`: the store does not tell.
    func lastEventAt(_ id: SessionID) -> Int64? {
        // First: what is appended meanwhile is behind it.
        let last = feed.head(of: id)?.last ?? 0
        if let end = known.withLock({ $0[id] }), end.last == last { return end.time }
        guard let state = read(id) else { return nil }
        known.withLock { $0[id] = End(last: last, time: state.lastEventAt) }
        return state.lastEventAt
    }
}
