import Foundation
import RalphSessions

/// Skills: those of the directories that configurations name (contract 7.4), the user's, the shipped ones, and
/// those that Ralph brings with it.
extension LibraryLister {
    /// What was found.
    struct FoundSkills {
        /// By name; each name once.
        var items: [SkillItem] = []
        var isTruncated = false
        var count = 0
    }

    mutating func skills() -> FoundSkills {
        var found = FoundSkills()
        var shelf = SkillShelf()
        // Configurations may name one directory more than once, and its skills hide nothing of themselves.
        var seen: Set<PathKey> = []
        let chain = finder.places.chain(scope.workspace)
        var places = chain.filter { $0.kind == .workspace }
        let more = workspaces.filter { !finder.places.isRoot($0) }
        places += more.prefix(LibraryLimits.workspaces).map(finder.places.workspace)
        let user = userConfig()
        found.isTruncated = user?.isUnread == true || more.count > LibraryLimits.workspaces
        var settings: SkillSettings?
        for place in places {
            var own = user?.skills ?? SkillSettings()
            if let config = config(of: place) {
                if config.isUnread { found.isTruncated = true }
                own = config.skills.over(own)
                settings = settings ?? own
            }
            // A run in a workspace without a configuration goes by none of the roots'.
            if scope != .everything { settings = settings ?? own }
            for directory in directories(own, place) where seen.insert(PathKey(directory.path)).inserted {
                add(directory, own, to: &shelf, &found)
            }
        }
        let others = settings ?? user?.skills ?? SkillSettings()
        for place in chain where place.kind != .workspace {
            finder.watchWay(to: "skills", in: place.directory)
            let directory = (path: place.directory.appendingPath("skills"), place: place)
            let real = directory.path.canonicalPath ?? directory.path
            guard seen.insert(PathKey(real)).inserted else { continue }
            add(directory, others, to: &shelf, &found)
        }
        for skill in BuiltInSkills.all { shelf.add(skill, others) }
        if shelf.isCut { found.isTruncated = true }
        found.items = shelf.items.sorted { $0.object.name < $1.object.name }
        return found
    }

    /// The workspace's configuration; `nil`: it has none.
    private mutating func config(of place: LibraryPlace) -> ConfigFacts? {
        let names = LibraryShelf.configs.files(in: place.kind)
        finder.watch(place.directory, Set(names), true)
        for name in names {
            let file = LibraryFile(
                .init(
                    name: name, path: place.path(name), file: place.directory.appendingPath(name),
                    place: place))
            if let file { return facts.config(file) }
        }
        return nil
    }

    /// The directories that a configuration names: relative to its workspace, else to one above it, and never
    /// outside of the roots and the skills of the other places. The last comes first: of several with one skill it
    /// counts (core/skill_registry).
    private func directories(
        _ settings: SkillSettings, _ place: LibraryPlace
    ) -> [(path: String, place: LibraryPlace)] {
        (settings.directories ?? []).suffix(LibraryLimits.skillDirectories).compactMap { name in
            guard !name.utf8.contains(0) else { return nil }
            let places = finder.places
            guard !name.hasPrefix("/") else { return places.mayLook(at: name) ? home(of: name) : nil }
            if places.mayLook(at: place.directory.appendingPath(name)) {
                finder.watchWay(to: name, in: place.directory)
            }
            var directory = place.directory
            while directory.isPath(inside: place.base) {
                let path = directory.appendingPath(name)
                if places.mayLook(at: path), let real = path.canonicalPath,
                    EntryStatus(at: real)?.kind == .directory
                {
                    return home(of: real)
                }
                guard directory != "/", let parent = directory.pathParts?.parent else { break }
                directory = parent
            }
            return nil
        }
        .reversed()
    }

    /// The place that a directory lies in; `nil`: none that is shown. A configuration may be anybody's, and what else
    /// than skills the user keeps is none of its business.
    private func home(of path: String) -> (path: String, place: LibraryPlace)? {
        guard let real = path.canonicalPath else { return nil }
        let roots = finder.places.roots.map(finder.places.workspace)
        let place = (roots + finder.places.beyondWorkspaces).first { place in
            guard real.isPath(inside: place.directory) else { return false }
            let skills = place.directory.appendingPath("skills")
            return place.kind == .workspace || real.isPath(inside: skills.canonicalPath ?? skills)
        }
        return place.map { (real, $0) }
    }

    /// The folders that links lead to, none of them out of the directory's place.
    private func linkedFolders(
        _ names: FolderNames, in directory: (path: String, place: LibraryPlace)
    ) -> [String] {
        names.files.filter { name in
            let path = directory.path.appendingPath(name)
            guard EntryStatus(at: path)?.kind == .link,
                // One that is gone meanwhile leads nowhere.
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                finder.places.mayLook(
                    at: target.hasPrefix("/") ? target : directory.path.appendingPath(target))
            else { return false }
            let outcome = ContainedFile.open(path, in: directory.place, .directory) { _ in .found(()) }
            return if case .found = outcome { true } else { false }
        }
    }

    /// `*.md` and `*/SKILL.md` of a directory.
    private mutating func add(
        _ directory: (path: String, place: LibraryPlace),
        _ settings: SkillSettings, to shelf: inout SkillShelf,
        _ found: inout FoundSkills
    ) {
        let names = finder.names(in: directory.path, of: directory.place)
        var candidates = names.files.filter { $0.hasSuffix(".md") && $0 != ".md" }.map {
            (name: String($0.dropLast(3)), file: $0)
        }
        for folder in names.folders + linkedFolders(names, in: directory) {
            let path = directory.path.appendingPath(folder)
            finder.watch(path, ["SKILL.md"], true)
            candidates.append((folder, folder + "/SKILL.md"))
        }
        for candidate in candidates.sorted(by: { $0.name < $1.name }) {
            let path = directory.path.appendingPath(candidate.file)
            let file = LibraryFile(
                .init(
                    name: candidate.name, path: path.path(below: directory.place.base) ?? path, file: path,
                    place: directory.place))
            guard let file else { continue }
            found.count += 1
            guard shelf.items.count < LibraryLimits.items, !shelf.isCut else {
                found.isTruncated = true
                return
            }
            let facts = facts.skill(file)
            let skill = SkillItem(facts, file)
            shelf.add(skill, settings)
        }
        if names.isCut { found.isTruncated = true }
    }
}
