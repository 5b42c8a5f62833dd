import RalphSessions
import RalphWire

extension QueryItems {
    /// More topics than this are refused.
    static let maximumTopics = 32

    /// The globs of each `topic`, of which one value may hold several with commas between them.
    ///
    /// - Parameter change: makes of a glob what is compared.
    func topics(_ change: (String) -> String = { $0 }) throws(Problem) -> [TopicPattern] {
        let globs = all("topic").flatMap { $0.split(separator: ",").map(String.init) }
        guard globs.count <= Self.maximumTopics else {
            throw .invalidRequest("at most \(Self.maximumTopics) topics")
        }
        var topics: [TopicPattern] = []
        for glob in globs {
            guard let topic = TopicPattern(change(glob)) else {
                throw .invalidRequest("topic must have 1 to \(TopicPattern.lengths.upperBound) bytes")
            }
            topics.append(topic)
        }
        return topics
    }
}
