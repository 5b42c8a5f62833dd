package import RalphSessions

/// A workspace whose shared files are read and written.
package struct WorkspacePlace: Sendable, Hashable {
    /// Canonical.
    package let path: String
    /// Links may lead to what is at or below one of these; canonical.
    package let roots: [String]
    /// Canonical; no link leads to one of these, or below it.
    package let secrets: [String]
    /// Whether its layout is not known, so that nothing is written to it.
    package let isReadOnly: Bool

    package init(path: String, roots: [String], secrets: [String] = [], isReadOnly: Bool = false) {
        self.path = path
        self.roots = roots
        self.secrets = secrets
        self.isReadOnly = isReadOnly
    }

    /// By the bytes of the paths, as in ``PathKey``.
    package static func == (left: WorkspacePlace, right: WorkspacePlace) -> Bool {
        left.path.isPath(right.path) && left.isReadOnly == right.isReadOnly
            && left.roots.elementsEqual(right.roots) { $0.isPath($1) }
            && left.secrets.elementsEqual(right.secrets) { $0.isPath($1) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(PathKey(path)) }

    /// The session of its own Ralph.
    package var directory: SessionDirectory { SessionDirectory(workspace: path) }
}
