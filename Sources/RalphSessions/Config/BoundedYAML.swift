package import Yams

/// Parsing a YAML text that anybody may have written, at a cost that its length bounds.
///
/// Nodes that aliases stand for are shared, so that composing costs no more than the text; three things would multiply:
/// looking at every value, and at its text, comparing keys that are lists, maps or aliases, which the parser does itself, and depth, as aliases
/// hang values below each other deeper than a stack is. A text in which they pass a bound is not composed.
package enum BoundedYAML {
    /// Values in a text with aliases, these counted as what they stand for.
    package static let maximumValues = 50_000
    /// Bytes of scalars in such a text, counted the same way: written out without aliases it has about so many.
    static let maximumText = 16 << 20
    /// Levels of lists and maps in each other, aliases followed. Where they are spelled, the parser itself allows half of it.
    static let maximumDepth = 4000
    /// Values that the parser may look at to tell such keys apart, which takes it seconds.
    static let maximumKeyWork = 20_000_000.0

    /// The document; `nil` for an empty one.
    ///
    /// - Throws: what is wrong and in which line, without words of the text.
    package static func compose(_ text: String, maximumBytes: Int) throws(YAMLProblem) -> Node? {
        guard text.utf8.count <= maximumBytes else { throw .longer(than: maximumBytes) }
        if let problem = YAMLMeasure.problem(in: text) { throw problem }
        do {
            return try Yams.compose(yaml: text)
        } catch {
            throw YAMLProblem(GeneratedConfigError(error).description)
        }
    }
}
