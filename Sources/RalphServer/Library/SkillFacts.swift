import RalphSessions
import Yams

/// What the front matter of a skill says (contract 7.4).
struct SkillFacts: Sendable, Equatable {
    /// `nil`: the file's name, or that of its folder.
    var name: String?
    var description = ""
    var tags: [String] = []
    var hats: [String] = []
    var backends: [String] = []
    /// What is wrong with the front matter, which is ignored then, or with the file.
    var error: YAMLProblem?

    /// - Parameter isCut: whether `bytes` are only the beginning of the file.
    init(_ bytes: [UInt8], isCut: Bool = false) {
        guard let text = LibraryText.decode(bytes, isCut: isCut) else {
            error = .notText
            return
        }
        guard let yaml = FrontMatter(text).yaml else { return }
        do {
            guard
                let root = try BoundedYAML.compose(
                    String(yaml), maximumBytes: LibraryLimits.yamlBytes)
            else { return }
            if root.null != nil { return }
            guard root.mapping != nil else { throw YAMLProblem("the front matter must be a map") }
            name = LibraryText.text(root["name"]).flatMap { Self.isName($0) ? $0 : nil }
            description = LibraryText.text(root["description"]) ?? ""
            tags = LibraryText.words(root["tags"])
            hats = LibraryText.words(root["hats"])
            backends = LibraryText.words(root["backends"])
        } catch let problem as YAMLProblem {
            error = problem
        } catch {
            self.error = YAMLProblem("is no YAML")
        }
    }

    /// Whether a skill can be called so: its name is one segment of a path, and a tag around its text.
    static func isName(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count) && name != "." && name != ".."
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value != 0x7F && !"/\\<>".unicodeScalars.contains(scalar)
            }
    }

    /// Bytes in memory, about.
    var cost: Int {
        (tags + hats + backends).reduce(300 + description.utf8.count) { $0 + $1.utf8.count + 32 }
    }
}
