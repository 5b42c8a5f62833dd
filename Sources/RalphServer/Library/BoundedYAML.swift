import Foundation
import RalphSessions
import Yams

/// Parsing a YAML text that anybody may have written, at a cost that its length bounds.
///
/// Nodes that aliases stand for are shared, so that composing costs no more than the text; two things would
/// multiply: looking at every value, which is done up to a limit, and comparing maps that are keys, which the
/// parser does itself. A text with aliases in which that can happen is not parsed.
enum BoundedYAML {
    /// The document; `nil` for an empty one.
    ///
    /// - Throws: what is wrong and in which line, without words of the text.
    static func compose(_ text: String) throws(YAMLProblem) -> Node? {
        guard text.utf8.count <= LibraryLimits.yamlBytes else { throw .tooLarge }
        let aliases = AliasCount(text.utf8)
        guard !aliases.hasComplexKey || aliases.expansion <= Double(LibraryLimits.yamlValues) else {
            throw .tooManyValues
        }
        let root: Node?
        do {
            root = try Yams.compose(yaml: text)
        } catch {
            throw YAMLProblem(GeneratedConfigError(error).description)
        }
        guard let root, aliases.aliases > 0 else { return root }
        var left = LibraryLimits.yamlValues
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

/// Why a YAML text is not used; one line.
struct YAMLProblem: Error, Equatable {
    let text: String

    init(_ text: String) { self.text = text }

    static let notText = YAMLProblem("is not UTF-8")
    static let notMap = YAMLProblem("must be a map")
    static let tooLarge = YAMLProblem(
        "more than \(LibraryLimits.yamlBytes) bytes of YAML are not looked into")
    static let tooManyValues = YAMLProblem(
        "more than \(LibraryLimits.yamlValues) values, aliases counted as what they stand for")
    static let later = YAMLProblem("not looked into yet: much of the library has changed at once")
}
