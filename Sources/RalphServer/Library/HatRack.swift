import RalphSessions

/// Hats, each name once.
struct HatRack {
    private(set) var hats: [LibraryObjects.Hat] = []
    /// Whether there was no room for one.
    private(set) var isFull = false
    private var byName: [String: Int] = [:]

    mutating func add(preset file: LibraryFile, _ facts: ConfigFacts) {
        for hat in facts.hats { add(hat, name: hat.name, id: hat.id, of: file, preset: file.name) }
    }

    /// A file of hats, which may also be one hat without a map around it; a broken one counts as a hat, so
    /// that it is seen.
    mutating func add(file: LibraryFile, _ facts: ConfigFacts) {
        for hat in facts.hats { add(hat, name: hat.name, id: hat.id, of: file, preset: nil) }
        if let hat = facts.single {
            add(hat, name: hat.name.isEmpty ? file.name : hat.name, id: file.name, of: file, preset: nil)
        } else if facts.hats.isEmpty {
            let error = facts.error?.text ?? "has no hats"
            add(nil, name: file.name, id: file.name, of: file, preset: nil, error: error)
        }
    }

    private mutating func add(
        _ hat: HatFacts?, name: String, id: String, of file: LibraryFile, preset: String?,
        error: String? = nil
    ) {
        if let index = byName[name] {
            if let preset, !hats[index].presets.contains(where: preset.isPath(_:)) {
                hats[index].presets.append(preset)
            }
            if !hats[index].path.isPath(file.path),
                !hats[index].shadows.contains(where: file.file.isPath(_:))
            {
                hats[index].shadows.append(file.file)
            }
            return
        }
        guard hats.count < LibraryLimits.items else {
            isFull = true
            return
        }
        byName[name] = hats.count
        hats.append(
            LibraryObjects.Hat(
                id: id, name: name, description: hat?.description ?? "", emoji: HatLook.emoji(id),
                color: HatLook.color(id), triggers: hat?.triggers ?? [], publishes: hat?.publishes ?? [],
                presets: preset.map { [$0] } ?? [], origin: file.place.origin, path: file.path, shadows: [],
                error: error))
    }
}
