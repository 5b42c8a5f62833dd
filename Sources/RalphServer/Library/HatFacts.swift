import Yams

/// One hat as a file has it (contract 7.2).
struct HatFacts: Sendable, Equatable {
    /// Its key.
    let id: String
    /// Its display name, or the key.
    let name: String
    let description: String
    let triggers: [String]
    let publishes: [String]

    init(id: String, _ node: Node) {
        self.id = id
        name = LibraryText.text(node["name"]) ?? id
        description = LibraryText.text(node["description"]) ?? ""
        triggers = LibraryText.words(node["triggers"])
        publishes = LibraryText.words(node["publishes"])
    }

    /// The hats of a map id → hat, in the order of the file.
    static func list(_ node: Node?) -> [HatFacts] {
        node?.mapping?.prefix(LibraryLimits.members).compactMap { key, value in
            LibraryText.text(key).map { HatFacts(id: $0, value) }
        } ?? []
    }

    /// Bytes in memory, about.
    var cost: Int {
        (triggers + publishes).reduce(200 + id.utf8.count + name.utf8.count + description.utf8.count) {
            $0 + $1.utf8.count + 32
        }
    }
}
