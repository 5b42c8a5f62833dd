package import RalphSessions

/// A workspace whose shared files are read and written.
package struct WorkspacePlace: Sendable, Hashable {
    /// Canonical.
    package let path: String
    /// Links may lead to what is at or below one of these; canonical.
    package let roots: [String]
    /// Whether its layout is not known, so that nothing is written to it.
    package let isReadOnly: Bool

    package init(path: String, roots: [String], isReadOnly: Bool = false) {
        self.path = path
        self.roots = roots
        self.isReadOnly = isReadOnly
    }

    /// The session of its own Ralph.
    package var directory: SessionDirectory { SessionDirectory(workspace: path == "/" ? "" : path) }
}
