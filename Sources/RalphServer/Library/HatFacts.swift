import RalphSessions
import Yams

/// One hat as a file has it (contract 7.2); what is `nil` there, it does not say.
struct HatFacts: Sendable, Equatable {
    /// Its key.
    let id: String
    private(set) var name: String?
    private(set) var description: String?
    private(set) var triggers: [String]?
    private(set) var publishes: [String]?
    /// Why what it imports cannot be used.
    private(set) var error: String?

    /// Gives a hat with what it imports.
    typealias Resolve = (HatImport) throws(GeneratedConfigError) -> Node

    init(id: String, _ node: Node) {
        self.id = id
        let text: (String) -> String? = { key in node[key].map { LibraryText.text($0) ?? "" } }
        // What is no map says nothing, but hides what lies below.
        let isMap = node.mapping != nil
        name = isMap ? text("name") : ""
        description = isMap ? text("description") : ""
        triggers = isMap ? node["triggers"].map(LibraryText.words) : []
        publishes = isMap ? node["publishes"].map(LibraryText.words) : []
    }

    /// What is shown of it: its own name, or its key.
    var shownName: String { name.flatMap { $0.isEmpty ? nil : $0 } ?? id }

    /// The hats of a map id → hat, in the order of the file.
    static func list(_ node: Node?, _ resolve: Resolve) -> [HatFacts] {
        node?.mapping?.prefix(LibraryLimits.members).compactMap { key, value in
            LibraryText.text(key).map { make(id: $0, value, resolve) }
        } ?? []
    }

    private static func make(id: String, _ node: Node, _ resolve: Resolve) -> HatFacts {
        do throws(GeneratedConfigError) {
            let whole = try HatImport(node, named: id).map { found throws(GeneratedConfigError) in
                try resolve(found)
            }
            return HatFacts(id: id, whole ?? node)
        } catch {
            var hat = HatFacts(id: id, node)
            hat.error = LibraryText.cut(error.description)
            return hat
        }
    }

    /// The hat where its configuration lies over another one with `hats` (contract 7.1).
    func over(_ hats: [HatFacts]) -> HatFacts {
        guard let below = hats.first(where: { $0.id == id }) else { return self }
        var merged = self
        merged.name = name ?? below.name
        merged.description = description ?? below.description
        merged.triggers = triggers ?? below.triggers
        merged.publishes = publishes ?? below.publishes
        return merged
    }

    /// Bytes in memory, about.
    var cost: Int {
        ((triggers ?? []) + (publishes ?? [])).reduce(
            200 + id.utf8.count + (name ?? "").utf8.count + (description ?? "").utf8.count
                + (error ?? "").utf8.count
        ) { $0 + $1.utf8.count + 32 }
    }
}
