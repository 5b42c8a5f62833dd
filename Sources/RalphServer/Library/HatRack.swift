import RalphSessions

/// Hats, each name once.
struct HatRack {
    private(set) var hats: [LibraryObjects.Hat] = []
    /// Whether there was no room for one, or a file was not looked into to its end.
    private(set) var isCut = false
    private var byName: [String: Int] = [:]

    /// - Parameter hats: those of the user's own configuration, which lies below that of a run.
    mutating func add(preset file: LibraryFile, _ facts: ConfigFacts, over hats: [HatFacts]) {
        isCut = isCut || facts.areHatsCut
        for hat in facts.hats {
            add(hat.over(hats), id: hat.id, of: file.candidate, preset: file.name)
        }
    }

    /// The user's own configuration, which is no preset.
    mutating func add(user file: LibraryFile.Candidate, _ facts: ConfigFacts) {
        isCut = isCut || facts.areHatsCut
        for hat in facts.hats { add(hat, id: hat.id, of: file, preset: nil) }
    }

    /// A file of hats, which may also be one hat without a map around it; a broken one counts as a hat, so
    /// that it is seen.
    mutating func add(file: LibraryFile, _ facts: ConfigFacts) {
        isCut = isCut || facts.areHatsCut
        for hat in facts.hats { add(hat, id: hat.id, of: file.candidate, preset: nil) }
        if let hat = facts.single {
            add(hat, id: file.name, of: file.candidate, preset: nil)
        } else if facts.hats.isEmpty, facts.error != nil || !facts.isUnread {
            let error = facts.error?.text ?? "has no hats"
            add(nil, id: file.name, of: file.candidate, preset: nil, error: error)
        }
    }

    private mutating func add(
        _ hat: HatFacts?, id: String, of file: LibraryFile.Candidate, preset: String?,
        error: String? = nil
    ) {
        let shown = hat?.shownName ?? ""
        let name = shown.isEmpty ? id : shown
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
            isCut = true
            return
        }
        byName[name] = hats.count
        hats.append(
            LibraryObjects.Hat(
                id: id, name: name, description: hat?.description ?? "", emoji: HatLook.emoji(id),
                color: HatLook.color(id), triggers: hat?.triggers ?? [], publishes: hat?.publishes ?? [],
                presets: preset.map { [$0] } ?? [], origin: file.place.origin, path: file.path, shadows: [],
                error: error ?? hat?.error))
    }
}
