import Foundation
package import RalphWire

/// What a client asked of a stream: its source, its form on the wire and where it starts (http-contract 4).
package struct StreamOptions: Sendable, Equatable {
    /// Which events.
    package enum Source: Sendable, Hashable {
        /// Those of one session; cursors are its seq.
        case session(SessionID)
        /// Those of all sessions; cursors are global ids.
        case all
    }

    /// How events are written.
    package enum Form: Sendable, Equatable {
        case serverSentEvents
        /// One JSON object a line.
        case newlineDelimited
    }

    /// Where the stream starts, in the order of precedence of http-contract 4.4.
    package enum Start: Sendable, Equatable {
        /// Behind this cursor; `epoch` is what the client believes the store's epoch to be.
        case after(Int64, epoch: String?)
        /// Behind this event of a session, in a stream whose cursors are others.
        case behind(SessionID, seq: Int64, epoch: String?)
        /// Behind an event that is none of this stream's.
        case elsewhere
        /// Behind this point in time, milliseconds since 1970.
        case since(Int64)
        /// With the newest so many events; 0: only live ones.
        case newest(Int64)
        /// With the oldest event that can be served.
        case beginning
        /// The client named nothing: the newest 500 or what design 5 says for the real app.
        case unspecified
    }

    package var source: Source
    package var form: Form
    package var start: Start
    /// `false`: end after the replay.
    package var isFollowing = true
    /// `event: workflow` before each event; off for clients that only know `onmessage`.
    package var namesEvents = true
    /// Gap and synced notices as events instead of comments.
    package var sendsControlEvents = false
    /// Structured payloads as they are, instead of their text with a copy in `data`.
    package var hasStructuredPayloads = false
    /// Globs, any of which lets an event through; empty: all.
    package var topics: [TopicPattern] = []
    /// Whether it may be one of the real app's, which goes on where its last one ended (design 5).
    var isPlain: Bool { start == .unspecified && isFollowing && topics.isEmpty }

    /// The replay of a client that names no start (http-contract 4.4).
    package static let defaultReplay: Int64 = 500

    /// Reads the query and the `Last-Event-ID` header.
    ///
    /// - Throws: ``Problem`` 400 for a value that is none; nothing is guessed.
    package init(
        source: Source, form: Form, query: QueryItems, lastEventID: String?, now: Int64
    ) throws(Problem) {
        self.source = source
        self.form = form
        self.start = try Self.start(query, of: source, lastEventID: lastEventID, now: now)
        isFollowing = try query.flag("follow") ?? true
        if try query.flag("poll") ?? false { isFollowing = false }
        switch query["event"] {
        case nil, "workflow": namesEvents = true
        case "none": namesEvents = false
        default: throw .invalidRequest("event must be workflow or none")
        }
        switch query["control"] {
        case nil, "comments": sendsControlEvents = false
        case "events": sendsControlEvents = true
        default: throw .invalidRequest("control must be comments or events")
        }
        switch query["payload"] {
        case nil, "text": hasStructuredPayloads = false
        case "object": hasStructuredPayloads = true
        default: throw .invalidRequest("payload must be text or object")
        }
        topics = try query.topics()
    }

    /// Where to start; every way of saying it is checked, also one that does not count.
    private static func start(
        _ query: QueryItems, of source: Source, lastEventID: String?, now: Int64
    ) throws(Problem) -> Start {
        let epoch = query["epoch"]
        let header = try lastEvent(lastEventID, of: source, epoch: epoch)
        let last = try lastEvent(query["last_event_id"], of: source, epoch: epoch)
        let after = try query["after_seq"].map { text throws(Problem) in
            try cursor(text, of: source, epoch: epoch)
        }
        let since = try query["since"].map { text throws(Problem) in
            try Self.since(text, epoch: epoch, now: now)
        }
        let tail = try query["tail"].map { text throws(Problem) in try Self.tail(text) }
        let replay = try Self.replay(query["replay"])
        return header ?? last ?? after ?? since ?? tail ?? replay ?? .unspecified
    }

    /// The last event that a client has; an empty text is what it says that has none.
    private static func lastEvent(
        _ text: String?, of source: Source, epoch: String?
    ) throws(Problem) -> Start? {
        guard let text, !text.isEmpty else { return nil }
        return try cursor(text, of: source, epoch: epoch)
    }

    private static func tail(_ text: String) throws(Problem) -> Start {
        if text == "all" { return .beginning }
        guard let count = Int64(text), count >= 0 else {
            throw .invalidRequest("tail must be all or a number")
        }
        return .newest(count)
    }

    private static func replay(_ text: String?) throws(Problem) -> Start? {
        switch text {
        case nil: return nil
        case "none": return .newest(0)
        case "all": return .beginning
        default: throw .invalidRequest("replay must be none or all")
        }
    }

    /// A cursor: `124`, `<epoch>:124`, or an event's `id` (`evt_<session>-124`).
    private static func cursor(_ text: String, of source: Source, epoch: String?) throws(Problem) -> Start {
        if let event = EventID(text) {
            switch source {
            case .session(event.session): return .after(event.seq, epoch: epoch)
            case .session: return .elsewhere
            case .all: return .behind(event.session, seq: event.seq, epoch: epoch)
            }
        }
        var digits = Substring(text)
        var epoch = epoch
        if let colon = digits.firstIndex(of: ":") {
            epoch = String(digits[..<colon])
            digits = digits[digits.index(after: colon)...]
        }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let seq = Int64(digits)
        else {
            throw .invalidRequest("a cursor is the id of an event, got \(text.prefix(40))")
        }
        return .after(seq, epoch: epoch)
    }

    /// `all`, `latest`, a duration back (`90s`, `10m`, `2h`, `3d`), unix seconds (10 digits or more), a seq
    /// (fewer digits), or an RFC 3339 timestamp.
    private static func since(_ text: String, epoch: String?, now: Int64) throws(Problem) -> Start {
        if text == "all" { return .beginning }
        if text == "latest" || text == "none" { return .newest(text == "latest" ? 1 : 0) }
        if let number = Int64(text), (0..<PointInTime.smallestUnixTime).contains(number) {
            return .after(number, epoch: epoch)
        }
        if let time = PointInTime.parse(text, now: now) { return .since(time) }
        throw .invalidRequest(
            "since must be all, latest, none, a number of an event, a duration such as 10m, a unix time or a timestamp"
        )
    }
}
