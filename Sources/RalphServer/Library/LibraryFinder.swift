import Foundation
import RalphSessions

/// Finds the files of a shelf in the places of a scope, in their order.
///
/// Asks for a watch on each directory before it reads it, so that no change falls in between.
struct LibraryFinder {
    /// What was found.
    struct Found {
        var items: [LibraryItem] = []
        /// Files of the right kind that were seen.
        var count = 0
        var isTruncated = false
    }

    /// Takes a directory, the entries in it that matter (`nil`: all), and whether their contents do.
    typealias Watch = (_ path: String, _ names: Set<String>?, _ contents: Bool) -> Void

    let places: LibraryPlaces
    let watch: Watch
    private var namesLeft = LibraryLimits.names
    private var directoriesLeft = LibraryLimits.directories
    private var found = Found()

    init(places: LibraryPlaces, watch: @escaping Watch) {
        self.places = places
        self.watch = watch
    }

    /// Finds one shelf's files; several searches share the limits of one list.
    ///
    /// - Parameter workspaces: those that are listed beside the places of a start; they hide nothing.
    mutating func find(_ shelf: LibraryShelf, _ scope: LibraryScope, workspaces: [String]) -> Found {
        found = Found()
        watchUserPlaces()
        let chain = places.chain(scope.workspace)
        var shelves = Shelves(chain: chain)
        for place in chain {
            for file in files(shelf, in: place) where hasRoom(shelves) { shelves.add(file, hides: true) }
        }
        for workspace in workspaces.prefix(LibraryLimits.workspaces) where !places.isRoot(workspace) {
            let place = places.workspace(workspace)
            for file in files(shelf, in: place) where hasRoom(shelves) { shelves.add(file, hides: false) }
        }
        if workspaces.count > LibraryLimits.workspaces { found.isTruncated = true }
        found.items = shelves.items
        return found
    }

    private mutating func hasRoom(_ shelves: Shelves) -> Bool {
        if shelves.items.count < LibraryLimits.items { return true }
        found.isTruncated = true
        return false
    }

    // MARK: Files

    /// Whether a request can name an item: a backslash in its path is refused (http-contract 5, path rules).
    private func isNameable(_ path: String) -> Bool { !path.utf8.contains(UInt8(ascii: "\\")) }

    private mutating func files(_ shelf: LibraryShelf, in place: LibraryPlace) -> [LibraryFile.Candidate] {
        let singles = shelf.files(in: place.kind)
        let folders = shelf.folders(in: place.kind)
        if !singles.isEmpty { watch(place.directory, Set(singles), true) }
        var files: [LibraryFile.Candidate] = []
        for name in singles {
            guard let stem = shelf.stem(name), isNameable(place.path(name)) else { continue }
            let path = place.directory.appendingPath(name)
            guard EntryStatus(at: path) != nil else { continue }
            found.count += 1
            files.append(.init(name: stem, path: place.path(name), file: path, place: place))
        }
        for folder in folders { files += self.files(shelf, folder: folder, in: place) }
        return files
    }

    /// The files in one folder of a place, by name, the preferred ending first.
    private mutating func files(
        _ shelf: LibraryShelf, folder: String, in place: LibraryPlace
    ) -> [LibraryFile.Candidate] {
        watchWay(to: folder, in: place.directory)
        var files: [LibraryFile.Candidate] = []
        var waiting = [(path: "", depth: 0)]
        while let next = waiting.popLast() {
            let path = next.path.isEmpty ? folder : folder + "/" + next.path
            let names = names(in: place.directory.appendingPath(path), of: place)
            if shelf.isDeep, next.depth < LibraryLimits.depth {
                waiting += names.folders.map {
                    (next.path.isEmpty ? $0 : next.path + "/" + $0, next.depth + 1)
                }
            } else if shelf.isDeep, !names.folders.isEmpty {
                found.isTruncated = true
            }
            for name in names.files {
                let shown = place.path(path + "/" + name)
                guard let stem = shelf.stem(name), isNameable(shown) else { continue }
                found.count += 1
                files.append(
                    .init(
                        name: next.path.isEmpty ? stem : next.path + "/" + stem, path: shown,
                        file: place.directory.appendingPath(path + "/" + name), place: place))
            }
        }
        return files.sorted { ($0.name, $1.path) < ($1.name, $0.path) }
    }

    /// The names in a directory, which is watched from now on.
    mutating func names(in path: String, of place: LibraryPlace) -> FolderNames {
        guard directoriesLeft > 0 else {
            found.isTruncated = true
            return .unread
        }
        directoriesLeft -= 1
        let maximum = namesLeft
        let watch = watch
        let outcome = ContainedFile.open(path, in: place, .directory) { descriptor in
            if let real = path.canonicalPath { watch(real, nil, true) }
            return .found(FolderNames(descriptor, maximum: maximum))
        }
        guard case .found(let names) = outcome else { return FolderNames() }
        namesLeft -= names.files.count + names.folders.count
        if names.isCut { found.isTruncated = true }
        return names
    }

    // MARK: Watching

    /// Watches for the coming and going of each part of `folder`.
    func watchWay(to folder: String, in directory: String) {
        var parent = directory
        for component in folder.split(separator: "/") {
            watch(parent, [String(component)], false)
            parent = parent.appendingPath(String(component))
        }
    }

    /// Watches for the user's own configuration.
    func watchUserConfig() {
        watchUserPlaces()
        guard let directory = places.userDirectory.canonicalPath else { return }
        watch(directory, [SessionDirectory.userConfigName], true)
    }

    /// Watches for the user's directories, which may not be there yet.
    private func watchUserPlaces() {
        for path in [places.userDirectory, places.userLibrary] {
            var missing = path
            while missing != "/", !missing.isEmpty {
                let parent = (missing as NSString).deletingLastPathComponent
                let name = (missing as NSString).lastPathComponent
                if let real = parent.canonicalPath {
                    watch(real, [name], false)
                    break
                }
                missing = parent
            }
        }
    }
}
