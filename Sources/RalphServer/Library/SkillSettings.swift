import Yams

/// What configurations say of skills (contract 7.1).
struct SkillSettings: Sendable, Equatable {
    /// What is said of skills of one name; `nil`: nothing.
    struct Override: Sendable, Equatable {
        var isEnabled: Bool?
        var isAutoInjected: Bool?
        var hats: [String]?
        var backends: [String]?
        var tags: [String]?
    }

    /// Whether there are skills at all; `nil`: nothing is said, and there are.
    var isEnabled: Bool?
    /// `nil`: nothing is said, and there are none.
    var directories: [String]?
    var overrides: [String: Override] = [:]

    init() {}

    init(_ node: Node?) {
        isEnabled = node?["enabled"]?.bool
        directories = node?["dirs"].map(LibraryText.words)
        guard let changes = node?["overrides"]?.mapping else { return }
        for (key, value) in changes.prefix(LibraryLimits.members) {
            guard let name = LibraryText.text(key) else { continue }
            overrides[name] = Override(
                isEnabled: value["enabled"]?.bool, isAutoInjected: value["auto_inject"]?.bool,
                hats: Self.words(value["hats"]), backends: Self.words(value["backends"]),
                tags: Self.words(value["tags"]))
        }
    }

    /// `nil`: nothing is said.
    private static func words(_ node: Node?) -> [String]? {
        node.flatMap { $0.null == nil ? LibraryText.words($0) : nil }
    }

    /// What holds where these lie over others: maps merge, anything else replaces (contract 7.1).
    func over(_ below: SkillSettings) -> SkillSettings {
        var merged = self
        merged.isEnabled = isEnabled ?? below.isEnabled
        merged.directories = directories ?? below.directories
        merged.overrides.merge(below.overrides) { own, other in
            Override(
                isEnabled: own.isEnabled ?? other.isEnabled,
                isAutoInjected: own.isAutoInjected ?? other.isAutoInjected, hats: own.hats ?? other.hats,
                backends: own.backends ?? other.backends, tags: own.tags ?? other.tags)
        }
        return merged
    }

    /// What changes in a skill of this name.
    func change(of name: String) -> Override {
        var change = overrides[name] ?? Override()
        if isEnabled == false { change.isEnabled = false }
        return change
    }

    /// Bytes in memory, about.
    var cost: Int {
        let words = overrides.values.flatMap { ($0.hats ?? []) + ($0.backends ?? []) + ($0.tags ?? []) }
        return (overrides.keys + (directories ?? []) + words).reduce(overrides.count * 300) {
            $0 + $1.utf8.count + 32
        }
    }
}
