import RalphSessions

/// Which workspaces a request is about.
enum LibraryScope: Hashable, Sendable {
    /// All that are known.
    case everything
    /// The canonical path of one.
    case workspace(PathKey)

    var workspace: String? {
        switch self {
        case .everything: nil
        case .workspace(let key): key.path
        }
    }
}
