import RalphSessions

/// Makes the lists of the library for one scope: finds the files, and reads those that are new or changed.
struct LibraryLister {
    let scope: LibraryScope
    /// Canonical paths, the first root's first; those that are listed where no workspace is named.
    var workspaces: [String]
    var finder: LibraryFinder
    var facts: FactsReader

    /// Configurations and presets are the same files (http-contract 5), by name.
    mutating func configs() -> (list: [LibraryObjects.Config], found: LibraryFinder.Found) {
        let found = finder.find(.configs, scope, workspaces: workspaces)
        let list = found.items.map { item in
            let facts = facts.config(item.file)
            return LibraryObjects.Config(
                path: item.file.path, name: item.file.name, description: facts.description,
                origin: item.file.place.origin, shadows: item.shadows,
                error: facts.error?.text ?? facts.hats.lazy.compactMap(\.error).first)
        }
        return (list.sorted { ($0.name, $0.path) < ($1.name, $1.path) }, found)
    }

    /// Prompts, by path.
    mutating func prompts() -> LibraryObjects.Prompts {
        let found = finder.find(.prompts, scope, workspaces: workspaces)
        let list = found.items.map { item in
            let facts = facts.prompt(item.file)
            return LibraryObjects.Prompt(
                path: item.file.path, name: item.file.name, preview: facts.preview,
                origin: item.file.place.origin, shadows: item.shadows, error: facts.error?.text)
        }
        return LibraryObjects.Prompts(
            prompts: list.sorted { $0.path < $1.path }, truncated: found.isTruncated ? true : nil,
            found: found.isTruncated ? found.count : nil)
    }

    /// The hats of all presets and of files of hats, by name; of two with one name the first counts.
    mutating func hats() -> LibraryObjects.Hats {
        let presets = finder.find(.configs, scope, workspaces: workspaces)
        let files = finder.find(.hats, scope, workspaces: workspaces)
        let user = userConfig()
        var rack = HatRack()
        for origin in [LibraryOrigin.workspace, .user, .shipped] {
            for item in presets.items where item.file.place.origin == origin && !rack.isFull {
                rack.add(preset: item.file, facts.config(item.file), over: user?.hats ?? [])
            }
            for item in files.items where item.file.place.origin == origin && !rack.isFull {
                rack.add(file: item.file, facts.config(item.file))
            }
            if origin == .user, let user { rack.add(user: finder.places.userConfig, user) }
        }
        let isTruncated = presets.isTruncated || files.isTruncated || rack.isCut
        return LibraryObjects.Hats(
            hats: rack.hats.sorted { ($0.name, $0.id) < ($1.name, $1.id) },
            truncated: isTruncated ? true : nil,
            found: isTruncated ? presets.count + files.count : nil)
    }

    /// What the user's own configuration says, which Ralph merges under every other (contract 7.1); `nil`: there is
    /// none that can be used.
    mutating func userConfig() -> ConfigFacts? {
        finder.watchUserConfig()
        return facts.user(finder.places.userConfig.file)
    }
}
