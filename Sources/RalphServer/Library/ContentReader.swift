import RalphSessions
import RalphWire

/// Reads whole files of the library; blocks for the disk.
struct ContentReader {
    let shelf: LibraryShelf
    /// Where a path is looked for, in this order.
    let places: [LibraryPlace]
    /// Workspaces in which a path is looked for then that is hidden in the places: they may be hidden themselves. Lists
    /// have their items by their paths below the root.
    var hidden: (LibraryPath) -> [LibraryPlace] = { _ in [] }

    /// The file that `path` means.
    ///
    /// - Throws: ``Problem`` 400 for a link that leads out, 404 for what is no file of this shelf or no UTF-8,
    ///   413 above ``LibraryLimits/contentBytes``.
    func read(_ path: LibraryPath, missing: (String) -> Problem) throws(Problem)
        -> LibraryObjects.Content
    {
        guard let last = path.components.last, shelf.stem(String(last)) != nil else {
            throw missing(path.text)
        }
        for place in places where place.shows(path.components, shelf) {
            let file = place.directory.appendingPath(path.text)
            if let content = try content(of: file, in: place, path, missing) { return content }
        }
        guard !LibraryPlace.isShown(path.components) else { throw missing(path.text) }
        for place in hidden(path) {
            let file = place.base.appendingPath(path.text)
            guard file.isPath(inside: place.directory), LibraryPlace.isShown(file, below: place.directory)
            else { continue }
            if let content = try content(of: file, in: place, path, missing) { return content }
        }
        throw missing(path.text)
    }

    /// The file that `path` means, if it is `file`; `nil`: nothing is there.
    private func content(
        of file: String, in place: LibraryPlace, _ path: LibraryPath, _ missing: (String) -> Problem
    ) throws(Problem) -> LibraryObjects.Content? {
        switch ContainedFile.read(file, in: place, maximumBytes: LibraryLimits.contentBytes) {
        case .missing: return nil
        case .outside: throw .pathTraversal
        case .tooLarge: throw .contentTooLarge(path.text)
        case .found(let read):
            guard let text = LibraryText.decode(read.bytes) else {
                var problem = missing(path.text)
                problem.details = "The file is not UTF-8."
                throw problem
            }
            let isPrompt = shelf == .prompts
            return LibraryObjects.Content(
                path: path.text, content: text, content_type: isPrompt ? "markdown" : "yaml",
                mime_type: isPrompt ? "text/markdown" : "application/x-yaml", origin: place.origin)
        }
    }

    /// A skill's text without its front matter, in the tags that Ralph puts around it (contract 7.4).
    ///
    /// - Throws: ``Problem`` 404 if its file is gone or no UTF-8, 413 above ``LibraryLimits/contentBytes``.
    static func load(_ skill: SkillItem) throws(Problem) -> LibraryObjects.LoadedSkill {
        let name = skill.object.name
        let text: String
        if let file = skill.file {
            let maximum = LibraryLimits.contentBytes
            switch ContainedFile.read(file.file, in: file.place, maximumBytes: maximum) {
            case .missing, .outside: throw .skillNotFound(name)
            case .tooLarge: throw .contentTooLarge(name)
            case .found(let read):
                guard let decoded = LibraryText.decode(read.bytes) else {
                    var problem = Problem.skillNotFound(name)
                    problem.details = "The file is not UTF-8."
                    throw problem
                }
                text = String(FrontMatter(decoded).body)
            }
        } else {
            text = BuiltInSkills.text(of: name)
        }
        return LibraryObjects.LoadedSkill(name: name, content: "<\(name)-skill>\n\(text)\n</\(name)-skill>")
    }
}
