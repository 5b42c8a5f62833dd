import Foundation
import RalphControl
import RalphSessions
import RalphWire

/// Finds the workspace that a request is about: `?workspace=`, `?session=`, else the first root.
struct WorkspaceResolver: Sendable {
    /// Canonical paths.
    let roots: [String]
    /// Canonical paths of what no answer may show.
    let secrets: [String]
    let catalogue: SessionCatalogue
    /// Where a path is not looked up.
    var silent = SilentMounts()

    /// What a query says of it.
    struct Name: Sendable, Equatable {
        /// Relative to the first root, or absolute.
        var path: String?
        /// An id or its beginning; goes before the path.
        var session: String?

        init(_ query: QueryItems) {
            path = query["workspace"]
            session = query["session"]
        }
    }

    /// The root or known workspace that `name` lies in by its text; `/`: none. Asks no disk.
    func line(of name: Name) -> String {
        let workspaces = catalogue.entries(now: WallClock.milliseconds()).map(\.session.directory.workspace)
        // Of an unknown session nothing is looked up.
        if let session = name.session { return (try? catalogue.workspace(of: session)) ?? "/" }
        return Self.line(of: name.path ?? "", below: roots, workspaces)
    }

    /// The longest of `roots` and `workspaces` that `path` lies in by its text; `/`: none. Asks no disk.
    static func line(of path: String, below roots: [String], _ workspaces: [String]) -> String {
        let path = URL(filePath: absolute(path, below: roots), directoryHint: .notDirectory).standardized.path
        return (roots + workspaces).filter(path.isPath(inside:)).max { $0.utf8.count < $1.utf8.count } ?? "/"
    }

    /// Blocks for links.
    ///
    /// - Throws: ``Problem`` 404 `session_not_found`, `workspace_not_found`.
    func place(_ name: Name) throws(Problem) -> WorkspacePlace {
        let entries = catalogue.entries(now: WallClock.milliseconds())
        var known: Set<PathKey> = []
        for entry in entries {
            known.insert(PathKey(entry.session.directory.workspace))
            if let main = entry.session.worktreeOf { known.insert(PathKey(main)) }
        }
        let path = try path(name, known)
        let isUnknown = entries.contains {
            $0.session.directory.workspace.isPath(path) && $0.session.directory.layout == .unknown
        }
        return WorkspacePlace(
            path: path, roots: known.union(roots.map(PathKey.init)).sorted().map(\.path),
            secrets: secrets, isReadOnly: isUnknown)
    }

    private func path(_ name: Name, _ known: Set<PathKey>) throws(Problem) -> String {
        if let session = name.session { return try catalogue.workspace(of: session) }
        let given = name.path ?? ""
        let absolute = Self.absolute(given, below: roots)
        guard !silent.hold(absolute, besides: roots + known.map(\.path)),
            let real = absolute.canonicalPath, Self.isDirectory(real),
            roots.contains(where: real.isPath(_:)) || known.contains(PathKey(real))
                || Self.isWorkspace(real, below: roots)
        else { throw .workspaceNotFound(given) }
        return real
    }

    /// A path as requests name workspaces: below the first root unless absolute.
    static func absolute(_ path: String, below roots: [String]) -> String {
        path.hasPrefix("/") ? path : (roots.first ?? "/").appendingPath(path)
    }

    /// Whether `path` is a directory at or below one of `roots` in which Ralph works: any other gets no files from us.
    static func isWorkspace(_ path: String, below roots: [String]) -> Bool {
        guard isDirectory(path), roots.contains(where: path.isPath(inside:)) else { return false }
        return [SessionDirectory.ralphName, SessionDirectory.configName, SessionDirectory.otherConfigName]
            .contains { FileManager.default.fileExists(atPath: path + "/" + $0) }
    }

    private static func isDirectory(_ path: String) -> Bool {
        EntryStatus(behindLinks: path)?.kind == .directory
    }
}
