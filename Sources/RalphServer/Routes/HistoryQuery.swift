import Hummingbird
import RalphSessions
import RalphWire

/// The query of a history page.
struct HistoryQuery: Sendable {
    let window: HistoryReader.Window
    let limit: Int64
    let topics: [TopicPattern]

    /// - Throws: ``Problem`` 400 for values that are none.
    init(_ query: String?) throws(Problem) {
        let items = try QueryItems(query.map { $0[...] })
        limit = try items.integer("limit", in: HistoryReader.limits) ?? 500
        var topics: [TopicPattern] = []
        for glob in items.all("topic").flatMap({ $0.split(separator: ",") }) {
            guard topics.count < StreamOptions.maximumTopics, let pattern = TopicPattern(String(glob)) else {
                throw .invalidRequest("topic \(glob.prefix(40))")
            }
            topics.append(pattern)
        }
        self.topics = topics
        window = try Self.window(items)
    }

    /// What a status asks for with `after_seq` or `since`; `nil` if it asks for nothing.
    static func missed(_ query: String?) throws(Problem) -> (window: HistoryReader.Window, limit: Int64)? {
        let items = try QueryItems(query.map { $0[...] })
        guard items["after_seq"] != nil || items["since"] != nil else { return nil }
        return (try window(items), try items.integer("limit", in: HistoryReader.limits) ?? 1000)
    }

    private static func window(_ items: QueryItems) throws(Problem) -> HistoryReader.Window {
        let range: ClosedRange<Int64> = 0...Int64.max / 2
        if let seq = try items.integer("after_seq", in: range) { return .after(seq) }
        if let text = items["since"] {
            if let seq = Int64(text), range.contains(seq) { return .after(seq) }
            guard let time = Timestamp.parse(Array(text.utf8)) else {
                throw .invalidRequest("since must be a seq or a timestamp")
            }
            return .since(time)
        }
        if let seq = try items.integer("before_seq", in: range) { return .before(seq) }
        if let token = items["before"] {
            guard let place = ArchivePlace(text: token) else {
                throw .invalidRequest("before is no page token")
            }
            return .beforePlace(place)
        }
        return .newest
    }
}
