import Hummingbird
import RalphSessions
import RalphWire

/// The query of a history page.
struct HistoryQuery: Sendable {
    let window: HistoryReader.Window
    let limit: Int64
    let topics: [TopicPattern]

    /// What a seq in a query can be; room is left for adding a page to it.
    private static let seqs: ClosedRange<Int64> = 0...Int64.max / 2

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
        let limit = try items.integer("limit", in: HistoryReader.limits) ?? 1000
        return try newer(items).map { ($0, limit) }
    }

    /// What is asked for; each cursor is checked, also one that does not count.
    private static func window(_ items: QueryItems) throws(Problem) -> HistoryReader.Window {
        let newer = try newer(items)
        let older = try older(items)
        return newer ?? older ?? .newest
    }

    private static func newer(_ items: QueryItems) throws(Problem) -> HistoryReader.Window? {
        let seq = try items.integer("after_seq", in: seqs)
        var since: HistoryReader.Window?
        if let text = items["since"] {
            if let seq = Int64(text), seqs.contains(seq) {
                since = .after(seq)
            } else if let time = Timestamp.parse(Array(text.utf8)) {
                since = .since(time)
            } else {
                throw .invalidRequest("since must be a seq or a timestamp")
            }
        }
        return seq.map { .after($0) } ?? since
    }

    private static func older(_ items: QueryItems) throws(Problem) -> HistoryReader.Window? {
        let seq = try items.integer("before_seq", in: seqs)
        var place: HistoryReader.Window?
        if let token = items["before"] {
            guard let found = ArchivePlace(text: token) else {
                throw .invalidRequest("before is no page token")
            }
            place = .beforePlace(found)
        }
        return seq.map { .before($0) } ?? place
    }
}
