import RalphSessions

/// Files of a shelf in the order in which they were found, without those that are hidden.
struct Shelves {
    private let chain: [LibraryPlace]
    private(set) var items: [LibraryItem] = []
    private var seen: Set<PathKey> = []
    /// A name is part of a path, and what a start finds by it lies at one.
    private var byName: [PathKey: Int] = [:]
    private var paths: Set<PathKey> = []
    /// Names whose first file is not listed: what a start finds by them is none of those behind it.
    private var taken: Set<PathKey> = []

    /// - Parameter chain: the places in which a path is looked for.
    init(chain: [LibraryPlace]) { self.chain = chain }

    /// Takes the next file.
    ///
    /// - Parameter hides: whether it is found by its name wherever a run is started, and so hides those that
    ///   come after it.
    mutating func add(_ candidate: LibraryFile.Candidate, hides: Bool) {
        guard seen.insert(PathKey(candidate.file)).inserted, let file = LibraryFile(candidate) else { return }
        let name = PathKey(file.name)
        if hides, let index = byName[name] {
            items[index].shadows.append(file.file)
            return
        }
        if hides, taken.contains(name) { return }
        guard !isElsewhere(file), paths.insert(PathKey(file.path)).inserted else {
            if hides { taken.insert(name) }
            return
        }
        var item = LibraryItem(file: file)
        if hides {
            byName[name] = items.count
        } else if let index = byName[name] {
            item.shadows = [items[index].file.file] + items[index].shadows
        }
        items.append(item)
    }

    /// Whether the file's path means another one, in a place that comes earlier.
    private func isElsewhere(_ file: LibraryFile) -> Bool {
        for place in chain {
            let earlier = place.directory.appendingPath(file.path)
            if earlier.isPath(file.file) { return false }
            if let status = EntryStatus(at: earlier), status.kind != .directory { return true }
        }
        return false
    }
}
