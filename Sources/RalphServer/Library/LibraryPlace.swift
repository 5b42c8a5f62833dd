import Foundation
import RalphSessions

/// A directory in which items of the library lie.
struct LibraryPlace: Sendable, Hashable {
    /// How its files are laid out, see ``LibraryShelf``.
    enum Kind: Sendable, Hashable {
        case workspace
        /// `~/.ralph`, of which only the folders of shelves are shown.
        case user
        /// Like `library/` of this package.
        case library
    }

    /// Folders of a workspace beginning with a dot that are not hidden.
    private static let openNames: Set<String> = [".ralph", ".agent", ".worktrees"]

    let origin: LibraryOrigin
    let kind: Kind
    /// Canonical; where its folders are.
    let directory: String
    /// Canonical; `directory` or above it. Paths of items are relative to it, and no link leads out of it.
    let base: String
    /// Canonical paths of files and directories that are never shown, whatever they are called.
    var secrets: [String] = []

    /// The path of an item of this place as lists show it.
    func path(_ path: String) -> String {
        directory.path(below: base).map { $0 + "/" + path } ?? path
    }

    /// Whether a file at `components` below a place may be read: any that is not hidden in a workspace, and
    /// elsewhere what lies in a folder of the shelf. Files of hats are read like configurations.
    func shows(_ components: [Substring], _ shelf: LibraryShelf) -> Bool {
        guard kind == .workspace else {
            let shelves: [LibraryShelf] = shelf == .configs ? [.configs, .hats] : [shelf]
            return components.count > 1
                && shelves.flatMap { $0.folders(in: kind) }.contains(String(components[0]))
        }
        return Self.isShown(components)
    }

    /// Whether nothing among the components of a path is hidden.
    static func isShown(_ components: [Substring]) -> Bool { components.allSatisfy(isOpen) }

    /// Whether the canonical `path` is `base`, or nothing on the way from there is hidden.
    static func isShown(_ path: String, below base: String) -> Bool {
        let components = path.utf8.dropFirst(base.utf8.count).split(separator: UInt8(ascii: "/"))
        return isShown(components.map { Substring($0) })
    }

    /// Whether what `path` really is, `real`, may be used for it: in the base, not hidden, no secret, and a file of the
    /// same ending.
    func allows(_ real: String, as path: String, _ kind: EntryStatus.Kind) -> Bool {
        guard real.isPath(inside: base), !real.isSecret(among: secrets) else { return false }
        if real.isPath(path) { return true }
        return (kind == .directory || Self.ending(real) == Self.ending(path))
            && Self.isShown(real, below: base)
    }

    /// Whether a component of a path is shown: a dot at its beginning hides all but ``openNames``. An accent behind
    /// the dot makes one character of both, and hides as well.
    private static func isOpen(_ component: Substring) -> Bool {
        component.utf8.first != UInt8(ascii: ".") || openNames.contains(String(component))
    }

    private static func ending(_ path: String) -> String {
        let ending = (path as NSString).pathExtension
        return ending == "yaml" ? "yml" : ending
    }
}
