import RalphSessions
import RalphWire

/// All places of the library and their order: workspaces, the user's, those that came with the server.
struct LibraryPlaces: Sendable {
    /// Canonical paths.
    let roots: [String]
    /// The home directory of the server's user.
    let home: String
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    let configHome: String
    /// Canonical paths of directories like `library/` of this package.
    let libraries: [String]
    /// As in ``LibraryPlace/secrets``, beside the user's own configuration.
    var secrets: [String] = []
    /// The same file by file: Ralph may work in the state directory, too, and start with what lies there.
    var secretFiles: [String] = []
    /// Where a directory that a file or a request names is not looked for.
    var silent = SilentMounts()

    /// `~/.ralph`, which may not exist.
    var userDirectory: String { home.appendingPath(SessionDirectory.ralphName) }

    /// The user's own configuration, which Ralph merges under every other (contract 1.1); never shown itself.
    var userConfig: LibraryFile.Candidate {
        let name = SessionDirectory.userConfigName
        let place = LibraryPlace(origin: .user, kind: .user, directory: userDirectory, base: userDirectory)
        return .init(name: name, path: name, file: userDirectory.appendingPath(name), place: place)
    }

    /// The user's own directory like `library/` of this package, which may not exist.
    var userLibrary: String { configHome.appendingPath("ralph-mobile-server/library") }

    /// The places in which a start in `workspace` looks for names and paths, in its order (http-contract 12,
    /// row 19): the workspace, the roots, the user's, the shipped ones.
    ///
    /// - Parameter workspace: canonical; `nil`: the first root.
    func chain(_ workspace: String?) -> [LibraryPlace] {
        var places: [LibraryPlace] = []
        if let workspace, !isRoot(workspace) { places.append(self.workspace(workspace)) }
        let isFirst = { (root: String) in workspace.map(root.isPath(_:)) ?? false }
        for root in roots.filter(isFirst) + roots.filter({ !isFirst($0) }) {
            places.append(self.workspace(root))
        }
        return places + beyondWorkspaces
    }

    /// All directories out of which files may be used: the roots, the user's, also if they are made later, and the
    /// shipped ones.
    var bases: [String] {
        let own = [userDirectory, userLibrary].map { $0.canonicalPath ?? $0 }
        return roots + own + libraries
    }

    /// Whether `path` may be looked up before anybody knows whether it lies in a place.
    func mayLook(at path: String) -> Bool {
        // Other bases are looked up themselves.
        !silent.hold(path, besides: roots) || !silent.hold(path, besides: bases)
    }

    /// The places that are the same for all workspaces.
    var beyondWorkspaces: [LibraryPlace] {
        var places: [LibraryPlace] = []
        let hidden = hidden
        func add(_ path: String, _ origin: LibraryOrigin, _ kind: LibraryPlace.Kind) {
            places.append(
                LibraryPlace(origin: origin, kind: kind, directory: path, base: path, secrets: hidden))
        }
        if let path = userDirectory.canonicalPath { add(path, .user, .user) }
        if let path = userLibrary.canonicalPath { add(path, .user, .library) }
        for path in libraries { add(path, .shipped, .library) }
        return places
    }

    /// Whether the canonical `path` is one of the roots.
    func isRoot(_ path: String) -> Bool { roots.contains(where: path.isPath(_:)) }

    /// A workspace as a place; its paths are relative to the root above it.
    func workspace(_ path: String) -> LibraryPlace {
        LibraryPlace(
            origin: .workspace, kind: .workspace, directory: path, base: root(of: path) ?? path,
            secrets: hidden)
    }

    /// What no place shows: a root may be the home directory, or above it, and the user's own configuration a link.
    private var hidden: [String] {
        let config = userConfig.file
        return secrets + [config.canonicalPath ?? config]
    }

    /// The innermost root that the canonical `path` is in.
    private func root(of path: String) -> String? {
        roots.filter { path.isPath(inside: $0) }.max { $0.utf8.count < $1.utf8.count }
    }

    /// Whether a file at the canonical `path` may be used at all. What the user's own configuration links to is what it is
    /// by its own name.
    func holds(_ path: String) -> Bool {
        // A root may be above them; a run would show them to everybody as its prompt.
        if path.isSecret(among: secretFiles) { return false }
        let user = userDirectory.canonicalPath?.appendingPath(SessionDirectory.userConfigName)
        if let user, path.isPath(user) { return false }
        if roots.contains(where: { path.isPath(inside: $0) }) { return true }
        return beyondWorkspaces.contains { place in
            place.kind == .library
                ? path.isPath(inside: place.directory)
                : LibraryShelf.allCases.flatMap { $0.folders(in: place.kind) }.contains {
                    path.isPath(inside: place.directory.appendingPath($0))
                }
        }
    }

    /// The workspace that a request names: a directory in a root, and not hidden there unless Ralph works in it.
    ///
    /// - Parameter path: relative to the first root unless absolute.
    /// - Throws: ``Problem`` 404 `workspace_not_found`.
    func resolve(workspace path: String) throws(Problem) -> String {
        let absolute = WorkspaceResolver.absolute(path, below: roots)
        guard !silent.hold(absolute, besides: roots), let real = absolute.canonicalPath,
            EntryStatus(at: real)?.kind == .directory, let root = root(of: real),
            LibraryPlace.isShown(real, below: root)
                || EntryStatus(at: real.appendingPath(SessionDirectory.ralphName))?.kind == .directory
        else { throw .workspaceNotFound(path) }
        return real
    }
}
