import RalphSessions

/// Skills, each name once; the first of a name counts.
struct SkillShelf {
    private(set) var items: [SkillItem] = []
    private var byName: [String: Int] = [:]
    private var room = ListRoom()

    /// Whether there was no room for one, or for what one hides.
    var isCut: Bool { room.isFull }

    /// - Parameter settings: what the configuration says of skills.
    mutating func add(_ skill: SkillItem, _ settings: SkillSettings) {
        let name = skill.object.name
        if let index = byName[name] {
            let hidden = skill.file?.file ?? skill.object.source
            if room.takes(hidden.utf8.count + 32) { items[index].object.shadows.append(hidden) }
            return
        }
        let changed = skill.changed(settings.change(of: name))
        // Ralph's own are few, and are always there.
        guard room.takes(changed.cost) || skill.file == nil else { return }
        byName[name] = items.count
        items.append(changed)
    }
}

extension SkillItem {
    /// A skill of a file.
    init(_ facts: SkillFacts, _ file: LibraryFile) {
        self.file = file
        object = LibraryObjects.Skill(
            name: facts.name ?? file.name, description: facts.description, tags: facts.tags,
            hats: facts.hats, backends: facts.backends, auto_inject: false, source: "file",
            origin: file.place.origin, path: file.path, shadows: [], enabled: true, error: facts.error?.text)
    }

    /// Bytes in a list, about.
    var cost: Int {
        let texts = [object.name, object.description, object.path ?? "", object.error ?? ""]
        let words = object.tags + object.hats + object.backends
        return (texts + words).reduce(200) { $0 + $1.utf8.count + 32 }
    }

    func changed(_ change: SkillSettings.Override) -> SkillItem {
        SkillItem(
            object: LibraryObjects.Skill(
                name: object.name, description: object.description,
                tags: Self.words(change.tags, object.tags),
                hats: Self.words(change.hats, object.hats),
                backends: Self.words(change.backends, object.backends),
                auto_inject: change.isAutoInjected ?? object.auto_inject, source: object.source,
                origin: object.origin, path: object.path, shadows: object.shadows,
                enabled: change.isEnabled ?? object.enabled, error: object.error),
            file: file)
    }

    /// An empty list changes nothing (core/skill_registry).
    private static func words(_ changed: [String]?, _ own: [String]) -> [String] {
        changed.flatMap { $0.isEmpty ? nil : $0 } ?? own
    }
}
