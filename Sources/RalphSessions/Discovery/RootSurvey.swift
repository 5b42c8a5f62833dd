/// A quick look at what a server would find below a root.
package struct RootSurvey: Sendable, Equatable {
    package let sessions: Int
    package let directories: Int
    /// Directories that could not be read although they exist.
    package let unreadable: Int
    /// One of them, and why; `nil` if there are none.
    package let example: String?
    /// Whether there is more than was looked at.
    package let isCut: Bool

    /// Walks over `root` as discovery does, once, and over `maximumDirectories` directories at most.
    package init(root: String, depth: Int, excludes: [String], maximumDirectories: Int) {
        var settings = DiscoverySettings(roots: [root])
        settings.depth = depth
        settings.excludes = Set(excludes)
        settings.maximumDirectories = maximumDirectories
        var scanner = SessionScanner(settings: settings)
        let result = scanner.scan()
        sessions = result.sessions.count
        directories = result.directories.count
        unreadable = result.unreadableCount
        example = result.unreadable.first.map { "\($0.path): \($0.reason)" }
        isCut = result.isTruncated
    }
}
