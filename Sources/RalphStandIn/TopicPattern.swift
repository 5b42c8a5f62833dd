/// A topic of a hat, possibly with wildcards (contract 2.6): `*` alone matches everything, else one segment.
struct TopicPattern {
    private let text: String

    /// A pattern as a hat has it.
    init(_ text: String) { self.text = text }

    /// Whether `topic` is meant.
    func matches(_ topic: String) -> Bool {
        if text == "*" || text == topic { return true }
        let pattern = text.split(separator: ".", omittingEmptySubsequences: false)
        let segments = topic.split(separator: ".", omittingEmptySubsequences: false)
        return pattern.count == segments.count && zip(pattern, segments).allSatisfy { $0 == "*" || $0 == $1 }
    }
}
