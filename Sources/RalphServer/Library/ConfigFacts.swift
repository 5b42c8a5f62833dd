import RalphSessions
import Yams

/// What lists say of one YAML file: a configuration, a preset or a file of hats.
struct ConfigFacts: Sendable, Equatable {
    /// What a configuration says of skills of one name (contract 7.1).
    struct SkillOverride: Sendable, Equatable {
        let isEnabled: Bool?
        let isAutoInjected: Bool?
        let hats: [String]?
        let backends: [String]?
        let tags: [String]?
    }

    var description = ""
    /// Why the file cannot be used; `nil`: it can, as far as its form goes.
    var error: YAMLProblem?
    var hats: [HatFacts] = []
    /// The hat that the whole file is, if it has no map of hats; its id is the file's name, so not known here.
    var single: HatFacts?
    var skillDirectories: [String] = []
    var skillOverrides: [String: SkillOverride] = [:]

    init(error: YAMLProblem) { self.error = error }

    init(_ bytes: [UInt8]) {
        guard let text = LibraryText.decode(bytes) else {
            error = .notText
            return
        }
        description = LibraryText.comment(text)
        do {
            try read(text)
        } catch {
            self.error = error
        }
    }

    /// Of a file that is too large to be parsed, by its beginning.
    init(head bytes: [UInt8]) {
        description = LibraryText.decode(bytes, isCut: true).map(LibraryText.comment) ?? ""
        error = .longer(than: LibraryLimits.yamlBytes)
    }

    private mutating func read(_ text: String) throws(YAMLProblem) {
        guard let root = try BoundedYAML.compose(text, maximumBytes: LibraryLimits.yamlBytes) else { return }
        if root.null != nil { return }
        guard root.mapping != nil else { throw .notMap }
        hats = HatFacts.list(root["hats"])
        if root["hats"] == nil, root["triggers"] != nil || root["instructions"] != nil {
            single = HatFacts(id: "", root)
        }
        let skills = root["skills"]
        skillDirectories = LibraryText.words(skills?["dirs"])
        guard let overrides = skills?["overrides"]?.mapping else { return }
        for (key, value) in overrides.prefix(LibraryLimits.members) {
            guard let name = LibraryText.text(key) else { continue }
            skillOverrides[name] = SkillOverride(
                isEnabled: value["enabled"]?.bool, isAutoInjected: value["auto_inject"]?.bool,
                hats: Self.words(value["hats"]), backends: Self.words(value["backends"]),
                tags: Self.words(value["tags"]))
        }
    }

    /// `nil`: nothing is said.
    private static func words(_ node: Node?) -> [String]? {
        node.flatMap { $0.null == nil ? LibraryText.words($0) : nil }
    }

    /// Bytes in memory, about.
    var cost: Int {
        300 + description.utf8.count + hats.reduce(single?.cost ?? 0) { $0 + $1.cost }
            + skillDirectories.reduce(0) { $0 + $1.utf8.count } + skillOverrides.count * 300
    }
}
