import RalphSessions

/// Files of a shelf in the order in which they were found, without those that are hidden.
struct Shelves {
    private let chain: [LibraryPlace]
    private(set) var items: [LibraryItem] = []
    private var seen: Set<String> = []
    private var byName: [String: Int] = [:]
    private var paths: Set<String> = []

    /// - Parameter chain: the places in which a path is looked for.
    init(chain: [LibraryPlace]) { self.chain = chain }

    /// Takes the next file.
    ///
    /// - Parameter hides: whether it is found by its name wherever a run is started, and so hides those that
    ///   come after it.
    mutating func add(_ candidate: LibraryFile.Candidate, hides: Bool) {
        guard seen.insert(candidate.file).inserted, let file = LibraryFile(candidate) else { return }
        if hides, let index = byName[file.name] {
            items[index].shadows.append(file.file)
            return
        }
        guard !isElsewhere(file), paths.insert(file.path).inserted else { return }
        var item = LibraryItem(file: file)
        if hides {
            byName[file.name] = items.count
        } else if let index = byName[file.name] {
            item.shadows = [items[index].file.file] + items[index].shadows
        }
        items.append(item)
    }

    /// Whether the file's path means another one, in a place that comes earlier.
    private func isElsewhere(_ file: LibraryFile) -> Bool {
        for place in chain {
            if place.base == file.place.base { return false }
            let earlier = LibraryPlace.join(place.directory, file.path)
            if let status = EntryStatus(at: earlier), status.kind != .directory { return true }
        }
        return false
    }
}
