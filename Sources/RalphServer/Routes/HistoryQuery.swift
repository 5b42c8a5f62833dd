import Hummingbird
import RalphSessions
import RalphWire

/// The query of a history page.
struct HistoryQuery: Sendable {
    let window: HistoryReader.Window
    /// Where a page that is made forwards ends; `nil`: where its limit is.
    let end: Int64?
    let limit: Int64
    let topics: [TopicPattern]

    /// What a seq in a query can be; room is left for adding a page to it.
    private static let seqs: ClosedRange<Int64> = 0...Int64.max / 2

    /// - Parameter epoch: that of the store: a cursor from another one is none here.
    /// - Throws: ``Problem`` 400 for values that are none.
    init(_ query: String?, of id: SessionID, in epoch: String) throws(Problem) {
        let items = try QueryItems(query)
        limit = try items.integer("limit", in: HistoryReader.limits) ?? 500
        topics = try items.topics()
        let newer = try Self.newer(items, id, epoch)
        let older = try Self.older(items, epoch)
        // Where one number is none of this store's, the other bound says nothing either.
        let windows = [newer, older].compactMap { $0 }
        window =
            windows.first { if case .elsewhere = $0 { true } else { false } } ?? windows.first
            ?? .before(.max)
        if newer != nil, case .before(let seq) = older { end = seq } else { end = nil }
    }

    /// What a status asks for with `after_seq` or `since`; `nil` if it asks for nothing.
    static func missed(
        _ query: String?, of id: SessionID, in epoch: String
    ) throws(Problem) -> SessionServices.Missed? {
        let items = try QueryItems(query)
        let limit = try items.integer("limit", in: HistoryReader.limits) ?? 1000
        return try newer(items, id, epoch).map { ($0, limit) }
    }

    private static func newer(
        _ items: QueryItems, _ id: SessionID, _ epoch: String
    ) throws(Problem) -> HistoryReader.Window? {
        let seq = try items.integer("after_seq", in: seqs)
        let isForeign = items.isForeign(to: epoch)
        let since = try items["since"].map { text throws(Problem) in try Self.since(text, id, isForeign) }
        return seq.map { isForeign ? .elsewhere : .after($0) } ?? since
    }

    /// The forms that a stream knows as well, but for `latest` and `none`.
    private static func since(_ text: String, _ id: SessionID, _ isForeign: Bool) throws(Problem)
        -> HistoryReader.Window
    {
        if text == "all" { return .after(0) }
        if let event = EventID(text) {
            return isForeign || event.session != id ? .elsewhere : .after(event.seq)
        }
        if let seq = Int64(text), (0..<PointInTime.smallestUnixTime).contains(seq) {
            return isForeign ? .elsewhere : .after(seq)
        }
        if let time = PointInTime.parse(text, now: WallClock.milliseconds()) { return .since(time) }
        throw .invalidRequest(
            "since must be all, a seq, an event's id, a duration such as 10m, a unix time or a timestamp")
    }

    private static func older(_ items: QueryItems, _ epoch: String) throws(Problem) -> HistoryReader.Window? {
        let seq = try items.integer("before_seq", in: seqs)
        var place: HistoryReader.Window?
        if let token = items["before"] {
            guard let found = ArchivePlace(text: token) else {
                throw .invalidRequest("before is no page token")
            }
            place = .beforePlace(found)
        }
        return seq.map { items.isForeign(to: epoch) ? .elsewhere : .before($0) } ?? place
    }
}

extension QueryItems {
    /// Whether the numbers in it are of another store.
    fileprivate func isForeign(to epoch: String) -> Bool { self["epoch"] ?? epoch != epoch }
}
