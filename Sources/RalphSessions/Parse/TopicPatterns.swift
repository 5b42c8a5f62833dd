/// Which hats have a pattern that covers a topic (contract 2.6), prepared once for the topics of many rows.
///
/// A hat is told by its place among the others.
struct TopicPatterns: Sendable, Equatable {
    /// A pattern of which some segments may be any.
    private struct Wildcard: Sendable, Equatable {
        let segments: [Substring]
        let hat: Int
    }

    /// The hats with a pattern that covers every topic, in their order.
    private(set) var everything: [Int] = []
    private var exact: [String: [Int]] = [:]
    private var wildcards: [Wildcard] = []

    /// - Parameter hats: the patterns of each.
    init(_ hats: [[String]]) {
        for (hat, patterns) in hats.enumerated() {
            for pattern in patterns { add(pattern, of: hat) }
        }
    }

    private mutating func add(_ pattern: String, of hat: Int) {
        guard pattern != "*" else {
            everything.append(hat)
            return
        }
        exact[pattern, default: []].append(hat)
        guard pattern.utf8.contains(UInt8(ascii: "*")) else { return }
        wildcards.append(Wildcard(segments: Self.segments(of: pattern), hat: hat))
    }

    /// The hats with a pattern, `*` alone apart, that covers `topic`, in no order, some more than once.
    func hats(naming topic: String) -> [Int] {
        let named = exact[topic] ?? []
        guard !wildcards.isEmpty else { return named }
        let given = Self.segments(of: topic)
        let covering = wildcards.filter { wildcard in
            wildcard.segments.count == given.count
                && zip(wildcard.segments, given).allSatisfy { $0 == "*" || $0 == $1 }
        }
        return named + covering.map(\.hat)
    }

    private static func segments(of text: String) -> [Substring] {
        text.split(separator: ".", omittingEmptySubsequences: false)
    }
}
