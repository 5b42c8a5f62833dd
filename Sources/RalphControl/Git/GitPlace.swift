import Foundation
package import RalphSessions

/// Where the repository of a directory lies (gitrepository-layout(5)), found by looking at `.git` alone:
/// nothing that its configuration says is believed.
package struct GitPlace: Sendable, Equatable {
    /// The directory that holds `.git`, canonical.
    package let top: String
    /// The git directory of this worktree.
    package let directory: String
    /// The git directory that all worktrees share.
    package let common: String
    /// The directory that was asked about.
    package let workspace: String

    /// The texts in `.git`, `commondir` and `gitdir`, bytes.
    private static let maximumTextBytes = 8 << 10

    /// - Parameters:
    ///   - workspace: canonical, without a trailing slash.
    ///   - roots: likewise. A `.git` file may name a git directory below one of them, or one that names this worktree in
    ///     return; another one is somebody else's.
    /// - Returns: `nil` if there is no repository, or only one that may not be looked at.
    /// - Throws: ``UnreadableFile`` if the files that tell cannot be read.
    package init?(workspace: String, roots: [String]) throws(UnreadableFile) {
        // A workspace that is gone, or became a link, has no files to compare.
        guard try workspace.resolvedFile()?.isPath(workspace) == true else { return nil }
        var top = workspace
        while try !Self.isSomething(top + "/.git") {
            guard let parent = top.pathParts?.parent, parent != "/" else { return nil }
            top = parent
        }
        guard let directory = try Self.directory(named: top + "/.git", top, roots),
            try Self.text(directory + "/HEAD") != nil
        else { return nil }
        var shared: String?
        if let named = try Self.text(directory + "/commondir") {
            shared = try Self.resolve(named, against: directory)
        }
        // What is shared lies above; anything else was made up.
        if let shared, !directory.isPath(inside: shared) { return nil }
        self.top = top
        self.directory = directory
        self.workspace = workspace
        common = shared ?? directory
    }

    /// Where the workspace lies below ``top``: empty, or with a slash at its end.
    package var prefix: String { workspace.path(below: top).map { $0 + "/" } ?? "" }

    /// ``top`` and the checkouts whose files it may have copies of, at the same paths: those in whose `.worktrees/` it
    /// lies, and the main one.
    package var checkouts: [String] {
        var found = [top] + top.originals
        if directory != common, let (main, name) = common.pathParts, name == ".git" { found.append(main) }
        return found
    }

    private static func directory(
        named path: String, _ top: String, _ roots: [String]
    ) throws(UnreadableFile) -> String? {
        guard let entry = try path.resolvedFile() else { return nil }
        if EntryStatus(at: entry)?.kind == .directory {
            return entry.isPath(path) || roots.contains { entry.isPath(inside: $0) } ? entry : nil
        }
        guard let text = try text(path), text.hasPrefix("gitdir:"),
            let real = try resolve(SessionDirectory.trimmed(String(text.dropFirst(7))), against: top)
        else { return nil }
        if roots.contains(where: { real.isPath(inside: $0) }) { return real }
        guard let named = try Self.text(real + "/gitdir") else { return nil }
        return try resolve(named, against: real)?.isPath(path) == true ? real : nil
    }

    private static func isSomething(_ path: String) throws(UnreadableFile) -> Bool {
        if EntryStatus(at: path) != nil { return true }
        let reason = SystemCode(errno)
        guard reason.meansNoFile else { throw UnreadableFile(path, reason) }
        return false
    }

    private static func text(_ path: String) throws(UnreadableFile) -> String? {
        switch BoundedFile.find(path, maximumBytes: maximumTextBytes) {
        case .content(let bytes): SessionDirectory.trimmed(String(decoding: bytes, as: UTF8.self))
        case .none: nil
        case .unreadable(let reason): throw UnreadableFile(path, reason)
        }
    }

    private static func resolve(_ path: String, against base: String) throws(UnreadableFile) -> String? {
        try (path.hasPrefix("/") ? path : base + "/" + path).resolvedFile()
    }
}
