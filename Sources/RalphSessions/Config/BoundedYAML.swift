package import Yams

/// Parsing a YAML text that anybody may have written, at a cost that its length bounds.
///
/// Nodes that aliases stand for are shared, so that composing costs no more than the text; two things would
/// multiply: looking at every value, which is done up to a limit, and comparing maps that are keys, which the
/// parser does itself. And aliases hang values below each other deeper than a stack is. A text with aliases in which
/// that can happen is not parsed.
package enum BoundedYAML {
    /// Values in one text, aliases counted as what they stand for.
    package static let maximumValues = 50_000
    /// Levels of lists and maps in each other, in a text with aliases.
    static let maximumDepth = 4000
    /// Values that the parser may look at to tell keys apart, which takes it seconds.
    static let maximumKeyWork = 20_000_000.0

    /// The document; `nil` for an empty one.
    ///
    /// - Throws: what is wrong and in which line, without words of the text.
    package static func compose(_ text: String, maximumBytes: Int) throws(YAMLProblem) -> Node? {
        guard text.utf8.count <= maximumBytes else { throw .longer(than: maximumBytes) }
        let aliases = AliasCount(text.utf8)
        guard aliases.isHarmless else { throw .tooManyValues }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw YAMLProblem(GeneratedConfigError(error).description)
        }
        guard let root, aliases.aliases > 0 else { return root }
        var left = maximumValues
        guard isCounted(root, &left) else { throw .tooManyValues }
        return root
    }

    /// Whether `node` has no more values than are `left`.
    private static func isCounted(_ node: Node, _ left: inout Int) -> Bool {
        left -= 1
        guard left > 0 else { return false }
        switch node {
        case .scalar, .alias: return true
        case .sequence(let sequence): return sequence.allSatisfy { isCounted($0, &left) }
        case .mapping(let mapping):
            return mapping.allSatisfy { isCounted($0.key, &left) && isCounted($0.value, &left) }
        }
    }
}
