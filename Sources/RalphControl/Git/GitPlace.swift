import Foundation
import RalphSessions

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
    ///   - workspace: canonical, without a trailing slash.   - roots: likewise. A `.git` file may name a
    /// git directory below one of them, or one that names this
    ///     worktree in return; another one is somebody else's.
    /// - Returns: `nil` if there is no repository, or only one that may not be looked at.
    package init?(workspace: String, roots: [String]) {
        // A workspace that is gone, or became a link, has no files to compare.
        guard Self.canonical(workspace)?.isPath(workspace) == true else { return nil }
        var top = workspace
        while !Self.isSomething(top + "/.git") {
            guard let slash = top.lastIndex(of: "/"), slash > top.startIndex else { return nil }
            top = String(top[..<slash])
        }
        guard let directory = Self.directory(named: top + "/.git", top, roots),
            BoundedFile.read(directory + "/HEAD", maximumBytes: Self.maximumTextBytes) != nil
        else { return nil }
        let shared = Self.text(directory + "/commondir").flatMap { Self.resolve($0, against: directory) }
        // What is shared lies above; anything else was made up.
        if let shared, !directory.isPath(inside: shared) { return nil }
        self.top = top
        self.directory = directory
        self.workspace = workspace
        common = shared ?? directory
    }

    /// Where the workspace lies below ``top``: empty, or with a slash at its end.
    package var prefix: String { workspace == top ? "" : String(workspace.dropFirst(top.count + 1)) + "/" }

    private static func directory(named path: String, _ top: String, _ roots: [String]) -> String? {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
        if isDirectory.boolValue {
            guard let real = canonical(path) else { return nil }
            return real.isPath(path) || roots.contains { real.isPath(inside: $0) } ? real : nil
        }
        guard let text = text(path), text.hasPrefix("gitdir:"),
            let real = resolve(SessionDirectory.trimmed(String(text.dropFirst(7))), against: top)
        else { return nil }
        let isNear = roots.contains { real.isPath(inside: $0) }
        return isNear || Self.text(real + "/gitdir").flatMap { resolve($0, against: real) } == path
            ? real : nil
    }

    private static func isSomething(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func text(_ path: String) -> String? {
        BoundedFile.read(path, maximumBytes: maximumTextBytes).map {
            SessionDirectory.trimmed(String(decoding: $0, as: UTF8.self))
        }
    }

    private static func resolve(_ path: String, against base: String) -> String? {
        canonical(path.hasPrefix("/") ? path : base + "/" + path)
    }

    private static func canonical(_ path: String) -> String? {
        guard !path.utf8.contains(0), let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }
}
