import RalphFeed
import RalphWire

/// A stream that is going to be opened: everything decided, nothing written yet.
struct StreamPlan: Sendable {
    let options: StreamOptions
    /// Everything after this is sent.
    var cursor: Int64
    /// What was there when the client came.
    let head: Int64
    /// Where a stream that does not follow ends; `nil`: it follows.
    var stopAt: Int64?
    /// What is announced first.
    var gap: StreamGap?
    /// A start that is still to be turned into the cursor.
    var search: StreamReader.Start?
    /// The cursor, unless it is the client's own, or still to be found.
    var untoldCursor: Int64? {
        if case .after = options.start, gap == nil { return nil }
        return search == nil ? cursor : nil
    }
    /// The client instance, as its cookie tells; `nil` for streams of all sessions.
    var client: String?
    /// Whether that client may go on where the stream ends.
    var isRemembered: Bool
    /// The device that watches, if one does; the stream ends when it is revoked.
    var device: DeviceID?
    /// What it counts for; given back when the stream ends.
    var seat: StreamSeats.Seat?
    /// Whether the response is HTTP/1.1 and so can be chunked.
    var isChunked: Bool

    /// Decides where the stream starts (design 4 and 5, http-contract 4.4).
    ///
    /// - Parameters:
    ///   - isRemembered: whether the client may go on where its stream ends.
    ///   - resumed: where its last stream of this session ended.
    init(
        _ options: StreamOptions, feed: EventFeed, client: String?, isRemembered: Bool, resumed: Int64?,
        isChunked: Bool
    ) {
        self.options = options
        self.client = client
        self.isRemembered = isRemembered
        self.isChunked = isChunked
        let (firstKept, head) = Self.bounds(options.source, feed)
        self.head = head
        cursor = head
        switch options.start {
        case .beginning: cursor = 0
        case .newest(let count): (cursor, search) = Self.newest(count, of: options.source, head, feed)
        case .unspecified:
            if let resumed {
                cursor = min(resumed, head)
            } else {
                (cursor, search) = Self.newest(StreamOptions.defaultReplay, of: options.source, head, feed)
            }
        case .since(let time): search = .time(time)
        case .behind(let session, let seq, let epoch) where epoch ?? feed.epoch == feed.epoch:
            search = .event(session, seq: seq)
        case .after(let seq, let epoch) where seq <= head && epoch ?? feed.epoch == feed.epoch:
            cursor = seq
        case .behind, .after, .elsewhere:
            cursor = max(0, firstKept - 1)
            gap = .unknownCursor(before: cursor)
        }
        stopAt = options.isFollowing ? nil : head
    }

    /// The cursor of the newest `count` events; where it takes a search, that of what is left if nothing else is.
    private static func newest(
        _ count: Int64, of source: StreamOptions.Source, _ head: Int64, _ feed: EventFeed
    ) -> (cursor: Int64, search: StreamReader.Start?) {
        let cursor = max(0, head - count)
        // Of one session the archive has what has left the ring, and memory leaves nothing out.
        guard source == .all, cursor > 0, case .older = feed.recentGlobal(after: cursor, limitBytes: 1) else {
            return (cursor, nil)
        }
        return (cursor, .newest(count))
    }

    private static func bounds(
        _ source: StreamOptions.Source, _ feed: EventFeed
    ) -> (firstKept: Int64, head: Int64) {
        switch source {
        case .all: (1, feed.globalHead)
        case .session(let id): feed.head(of: id).map { ($0.firstKept, $0.last) } ?? (1, 0)
        }
    }
}
