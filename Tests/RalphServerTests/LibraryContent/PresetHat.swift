import Yams

/// One hat of a preset, as far as events go.
struct PresetHat {
    /// The key in the configuration.
    let id: String
    let name: String
    let triggers: [String]
    let publishes: [String]
    /// What ralph publishes when the hat says nothing.
    let fallback: String?
    let instructions: String
    /// Whether ralph says `<id>.exhausted` at some time.
    let isLimited: Bool
    /// Whether ralph watches what it changes.
    let isRestricted: Bool

    init(id: String, _ node: Node) {
        self.id = id
        name = node["name"]?.string ?? id
        triggers = Self.texts(node["triggers"])
        publishes = Self.texts(node["publishes"])
        fallback = node["default_publishes"]?.string
        instructions = ([node["instructions"]?.string ?? ""] + Self.texts(node["extra_instructions"]))
            .joined(separator: "\n")
        isLimited = node["max_activations"] != nil
        isRestricted = node["disallowed_tools"] != nil
    }

    /// The texts of a list.
    static func texts(_ node: Node?) -> [String] { node?.sequence?.compactMap(\.string) ?? [] }
}
