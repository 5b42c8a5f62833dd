import RalphSessions

/// Hats, each name once.
struct HatRack {
    private(set) var hats: [LibraryObjects.Hat] = []
    /// Whether there was no room for one, or a file was not looked into to its end.
    private(set) var isCut = false
    private var byName: [String: Int] = [:]
    private var room = ListRoom()
    /// Looked up here: many files may have hats of the same names.
    private var mentions: Set<Mention> = []

    /// A preset or a hidden file that a hat names: of these only the paths of files begin with a slash.
    private struct Mention: Hashable {
        let hat: Int
        let name: PathKey
    }

    /// Whether nothing more is taken.
    var isFull: Bool { room.isFull }

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
            if let preset, takes(preset, at: index) { hats[index].presets.append(preset) }
            if !hats[index].path.isPath(file.path), takes(file.file, at: index) {
                hats[index].shadows.append(file.file)
            }
            return
        }
        let texts = [id, name, file.path, preset ?? "", error ?? ""]
        let size = texts.reduce(hat?.cost ?? 200) { $0 + $1.utf8.count }
        guard hats.count < LibraryLimits.items, room.takes(size) else {
            isCut = true
            return
        }
        byName[name] = hats.count
        if let preset { mentions.insert(Mention(hat: hats.count, name: PathKey(preset))) }
        hats.append(
            LibraryObjects.Hat(
                id: id, name: name, description: hat?.description ?? "", emoji: HatLook.emoji(id),
                color: HatLook.color(id), triggers: hat?.triggers ?? [], publishes: hat?.publishes ?? [],
                presets: preset.map { [$0] } ?? [], origin: file.place.origin, path: file.path, shadows: [],
                error: error ?? hat?.error))
    }

    /// Whether the hat is to name this preset or file: once, and as long as there is room.
    private mutating func takes(_ name: String, at hat: Int) -> Bool {
        guard !isFull, mentions.insert(Mention(hat: hat, name: PathKey(name))).inserted else { return false }
        guard room.takes(name.utf8.count + 32) else {
            isCut = true
            return false
        }
        return true
    }
}
