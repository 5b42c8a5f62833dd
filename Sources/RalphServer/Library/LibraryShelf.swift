import RalphSessions

/// One kind of files in a place of the library, and where such files lie there. Lists, contents and starts all
/// go by it, so that what is listed can be read and started.
enum LibraryShelf: Sendable, CaseIterable {
    case configs, prompts, hats

    /// The endings of its files, the preferred one first.
    var endings: [String] { self == .prompts ? [".md"] : [".yml", ".yaml"] }

    /// Whether folders of its folders are looked into.
    var isDeep: Bool { self == .prompts }

    /// Files directly in a place that count on their own.
    func files(in kind: LibraryPlace.Kind) -> [String] {
        switch (self, kind) {
        case (.configs, .workspace): ["ralph.yml", "ralph.yaml"]
        case (.prompts, .workspace): ["PROMPT.md"]
        default: []
        }
    }

    /// Folders of a place whose files count, the preferred one first.
    func folders(in kind: LibraryPlace.Kind) -> [String] {
        switch (self, kind) {
        case (.configs, .library): ["configs", "presets"]
        case (.configs, _): ["presets"]
        case (.prompts, _): ["prompts"]
        case (.hats, .workspace): ["hats", SessionDirectory.ralphName + "/hats"]
        case (.hats, _): ["hats"]
        }
    }

    /// `name` without the ending of this shelf; `nil` if it has another one, or nothing before it.
    func stem(_ name: String) -> String? {
        guard let ending = endings.first(where: name.hasSuffix), name.utf8.count > ending.utf8.count else {
            return nil
        }
        return String(name.dropLast(ending.count))
    }
}
