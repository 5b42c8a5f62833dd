import Yams

/// What the hats of one configuration may import together, a file as often as it is imported.
///
/// Each file alone is bounded, but many hats may import one.
package struct ImportBudget {
    /// Of files, and of the text in them, aliases written out.
    private static let maximumBytes = 4 << 20
    /// In the files, aliases counted as what they stand for.
    private static let maximumValues = BoundedYAML.maximumValues

    private var bytes = maximumBytes
    private var text = maximumBytes
    private var values = maximumValues

    package init() {}

    /// What an import beyond it is refused with.
    static let problem = "the imports have more than \(maximumBytes >> 20) MiB or \(maximumValues) values"

    /// Whether more was asked for than there is.
    var isSpent: Bool { bytes < 0 || text < 0 || values < 0 }

    /// Whether a file of `count` bytes may be looked into.
    mutating func take(bytes count: Int) -> Bool {
        bytes -= count
        return !isSpent
    }

    /// Whether `members`, which have no aliases, may be kept.
    mutating func take(_ members: [(Node, Node)]) -> Bool {
        for (key, value) in members where !isSpent {
            take(key)
            take(value)
        }
        return !isSpent
    }

    private mutating func take(_ node: Node) {
        values -= 1
        switch node {
        case .scalar(let scalar): text -= scalar.string.utf8.count
        case .sequence(let sequence): for node in sequence { take(node) }
        case .mapping(let mapping):
            for (key, value) in mapping {
                take(key)
                take(value)
            }
        case .alias: break
        }
    }
}
