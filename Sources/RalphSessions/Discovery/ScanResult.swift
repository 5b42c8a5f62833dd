import RalphWire

/// What one walk over the roots saw.
struct ScanResult {
    /// A session with what only discovery needs of it.
    struct Session: Equatable {
        var facts: DiscoveredSession
        /// The file that grows while a run works: what the pointer names, else the fallbacks of contract 1.1.
        var currentEvents: String?
        /// The directory of ``currentEvents`` if it is not the session directory.
        var pointedDirectory: String?
        /// The numbers of the session directory.
        var identity: FileIdentity
    }

    /// What a directory is looked at for; the later ones in their order take in what the earlier ones do.
    enum Role: Comparable { case leaf, tree, layout }

    /// A directory in which something new may appear.
    struct Directory: Equatable {
        var path: String
        /// `leaf`: new directories of a layout matter. `tree`: all of them. `layout`: files matter, too.
        var role: Role
        var identity: FileIdentity
    }

    /// Sorted by path within each root.
    var sessions: [Session] = []
    var directories: [Directory] = []
    /// All that could not be read although it exists.
    var unreadable: [DiscoveryReport.Unreadable] = []
    var unreadableCount = 0
    /// Those that are roots, however many.
    private(set) var unreadableRoots: [DiscoveryReport.Unreadable] = []
    var roots: [String] = []
    /// How many roots do not exist, or cannot be reached.
    var missingRoots = 0
    var skippedLinks = 0
    var isTruncated = false

    /// At most this many of ``unreadable`` are kept.
    static let maximumUnreadable = 32
    /// All paths of ``unreadable``, however many.
    private(set) var unreadablePaths: Set<PathKey> = []

    /// - Parameters:
    ///   - isRoot: a root as it was given; ``roots`` has the others.
    ///   - hides: whether sessions that are there may not have been found for it.
    mutating func note(
        unreadable path: String, _ reason: String, isRoot: Bool = false, hides: Bool = true
    ) {
        unreadableCount += 1
        let found = DiscoveryReport.Unreadable(path: path, reason: reason)
        if unreadable.count < Self.maximumUnreadable { unreadable.append(found) }
        guard hides else { return }
        unreadablePaths.insert(PathKey(path))
        if isRoot || roots.contains(path) { unreadableRoots.append(found) }
    }

    /// Whether the scan could not look at `path`, so that its absence from ``sessions`` means nothing.
    func couldNotSee(_ path: String) -> Bool {
        guard !unreadablePaths.isEmpty else { return false }
        var path = path
        while path != "/", let parent = path.pathParts?.parent {
            if unreadablePaths.contains(PathKey(path)) { return true }
            path = parent
        }
        return unreadablePaths.contains(PathKey("/"))
    }
}
