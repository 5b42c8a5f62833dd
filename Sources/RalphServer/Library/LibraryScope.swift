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

    /// How a request asks for one.
    struct Look: Sendable {
        static let everything = Look(at: "library") { .everything }

        /// How it names the place.
        let place: String
        /// Finds the scope; may look at the disk.
        let look: @Sendable () throws -> LibraryScope

        init(at place: String, _ look: @escaping @Sendable () throws -> LibraryScope) {
            self.place = place
            self.look = look
        }
    }
}
