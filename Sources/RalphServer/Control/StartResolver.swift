import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Finds what a start means by its names and paths, and lets nothing outside the roots be used.
///
/// Checks in the order of http-contract 3.4: directory, configuration, prompt. A path counts as what it is when
/// its links are resolved.
struct StartResolver: Sendable {
    /// Where names and paths are looked for, and what may be used.
    let places: LibraryPlaces
    /// Further workspaces; a name that means nothing else may mean a file of theirs, as lists give such names.
    var workspaces: @Sendable () -> [String] = { [] }

    var roots: [String] { places.roots }

    init(places: LibraryPlaces) { self.places = places }

    /// - Parameters:
    ///   - roots: canonical paths; the first one is what relative paths and an absent directory mean.
    ///   - libraries: canonical paths of directories like `library/` of this package.
    ///   - home: what a leading `~` stands for.
    init(roots: [String], libraries: [String], home: String) {
        places = LibraryPlaces(
            roots: roots, home: home, configHome: home.appendingPath(".config"), libraries: libraries)
    }

    /// A start with everything found.
    struct Resolved: Sendable, Equatable {
        var plan: LaunchPlan
        /// The session that a run in the plan's workspace belongs to.
        var directory: SessionDirectory
    }

    /// - Throws: ``Problem``: 400 `invalid_path`, 404 `config_not_found` and its kin, 400 `invalid_request`.
    func resolve(_ request: StartRequest) throws(Problem) -> Resolved {
        let workspace = try workspace(request.workingDirectory)
        var plan = LaunchPlan(workspace: workspace)
        if let config = request.config {
            guard let path = find(config, .configs, workspace) else {
                throw .notFound("config_not_found", config)
            }
            plan.config = path
        }
        plan.prompt = try prompt(request, workspace)
        if let hats = request.hats { plan.hats = try self.hats(hats, workspace) }
        plan.maxIterations = request.maxIterations
        plan.backend = request.backend
        plan.worktree = request.worktree
        return Resolved(plan: plan, directory: SessionDirectory(workspace: workspace))
    }

    // MARK: Parts

    private func workspace(_ given: String?) throws(Problem) -> String {
        guard let given else { return roots.first ?? "/" }
        var path = given
        if path == "~" || path.hasPrefix("~/") { path = places.home + path.dropFirst() }
        path = WorkspaceResolver.absolute(path, below: roots)
        guard let real = path.canonicalPath, EntryStatus(at: real)?.kind == .directory, isInside(real, roots)
        else {
            throw .invalidPath("working directory not found: \(Problem.oneLine(given))")
        }
        let session = SessionDirectory(workspace: real).path
        guard let canonical = session.canonicalPath, !canonical.isPath(session) else { return real }
        throw .invalidPath("the session directory of \(Problem.oneLine(given)) is a link")
    }

    private func prompt(_ request: StartRequest, _ workspace: String) throws(Problem) -> LaunchPlan.Prompt {
        if let name = request.promptPath {
            guard let path = find(name, .prompts, workspace) else {
                throw .notFound("prompt_not_found", name)
            }
            // Ralph reads no other; a prompt with a NUL would end the run. Longer ones are its own to judge.
            if let text = BoundedFile.read(
                path, maximumBytes: StartRequest.maximumPromptBytes, isDirect: true),
                text.contains(0) || String(validating: text, as: UTF8.self) == nil
            {
                throw .invalidRequest("the prompt \(Problem.oneLine(name)) is no UTF-8 text, or holds a NUL")
            }
            return .file(path)
        }
        if let text = request.prompt { return .text(text) }
        throw .invalidRequest("prompt_path or prompt is required")
    }

    private func hats(_ name: String, _ workspace: String) throws(Problem) -> String {
        if name.hasPrefix("builtin:") {
            let word = name.dropFirst("builtin:".count)
            let isPlain = word.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            }
            guard !word.isEmpty, isPlain else { throw .invalidRequest("hats: no builtin has such a name") }
            return name
        }
        guard let path = find(name, .hats, workspace) else { throw .notFound("hats_not_found", name) }
        return path
    }

    // MARK: Finding

    /// The file that `name` means; `nil`: there is none, or it lies outside the roots and libraries.
    ///
    /// A word with the ending of such a file is a path first, any other one a name first: beside the prompt
    /// `README` there may be a file of that name which is none.
    private func find(_ name: String, _ shelf: LibraryShelf, _ workspace: String) -> String? {
        let chain = places.chain(workspace)
        var candidates: [String] = []
        if name.hasPrefix("/") {
            candidates = [name]
        } else {
            let paths = chain.map { $0.directory.appendingPath(name) }
            let named = chain.flatMap { Self.files(named: name, shelf, in: $0) }
            candidates = shelf.stem(name) == nil ? named + paths : paths + named
        }
        if let found = first(of: candidates) { return found }
        guard !name.hasPrefix("/") else { return nil }
        let others = workspaces().map(places.workspace)
        return first(of: others.flatMap { Self.files(named: name, shelf, in: $0) })
    }

    private func first(of candidates: [String]) -> String? {
        for candidate in candidates {
            guard let real = candidate.canonicalPath, places.holds(real), EntryStatus(at: real)?.kind == .file
            else { continue }
            return real
        }
        return nil
    }

    /// What a file of this name can be called in a place.
    private static func files(named name: String, _ shelf: LibraryShelf, in place: LibraryPlace) -> [String] {
        let singles = shelf.files(in: place.kind).filter { shelf.stem($0) == name }
        let others = shelf.folders(in: place.kind).flatMap { folder in
            shelf.endings.map { "\(folder)/\(name)\($0)" }
        }
        return (singles + others).map { place.directory.appendingPath($0) }
    }

    private func isInside(_ path: String, _ directories: [String]) -> Bool {
        directories.contains { path.isPath(inside: $0) }
    }
}
