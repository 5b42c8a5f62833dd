import Foundation

/// A path as a key, by its bytes: names that Unicode takes for the same are those of different files.
package struct PathKey: Hashable, Comparable, Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package static func == (left: PathKey, right: PathKey) -> Bool { left.path.isPath(right.path) }

    package static func < (left: PathKey, right: PathKey) -> Bool {
        left.path.utf8.lexicographicallyPrecedes(right.path.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Whether this path is the same as `other`, byte for byte.
    package func isPath(_ other: String) -> Bool { utf8.count == other.utf8.count && begins(with: other) }

    /// Whether this path is `directory` or below it, by their bytes; both are canonical.
    package func isPath(inside directory: String) -> Bool {
        let slash = UInt8(ascii: "/")
        guard begins(with: directory) else { return false }
        let rest = utf8.dropFirst(directory.utf8.count)
        return rest.isEmpty || rest.first == slash || directory.utf8.last == slash
    }

    /// Whether this begins with `prefix`, byte for byte: memory is compared, since paths are at every look at a file.
    package func begins(with prefix: String) -> Bool {
        let isPrefix = utf8.withContiguousStorageIfAvailable { bytes in
            prefix.utf8.withContiguousStorageIfAvailable { other in
                guard let start = bytes.baseAddress, let first = other.baseAddress else {
                    return other.isEmpty
                }
                return bytes.count >= other.count && memcmp(start, first, other.count) == 0
            }
        }
        return (isPrefix ?? nil) ?? utf8.starts(with: prefix.utf8)
    }

    /// What follows `directory` and a slash; `nil`: this path is not below it. Both are canonical.
    package func path(below directory: String) -> String? {
        guard isPath(inside: directory), !isPath(directory) else { return nil }
        let rest = utf8.dropFirst(directory.utf8.count)
        return String(Substring(rest.first == UInt8(ascii: "/") ? rest.dropFirst() : rest))
    }

    /// The path of `name` in the directory of this path.
    package func appendingPath(_ name: String) -> String {
        utf8.last == UInt8(ascii: "/") ? self + name : self + "/" + name
    }

    /// This path cut at its last slash; `nil`: there is none. A slash with an accent behind it is one character, and
    /// two bytes of a path to the system.
    package var pathParts: (parent: String, name: String)? {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let parent = slash == startIndex ? "/" : String(Substring(utf8[..<slash]))
        return (parent, String(Substring(utf8[utf8.index(after: slash)...])))
    }

    /// Where the checkouts in whose `.worktrees/` this path lies have the same file, the innermost first: Ralph copies
    /// into a worktree what git does not ignore, and git checks out the rest there (contract 1.2).
    package var originals: [String] {
        let name = SessionDirectory.worktreesName.utf8
        var parts = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var found: [String] = []
        while let index = parts.dropLast().lastIndex(where: { $0.elementsEqual(name) }) {
            parts.removeSubrange(index..<(index + 2))
            let path = parts.map { String(Substring($0)) }.joined(separator: "/")
            found.append(path.isEmpty ? "/" : path)
        }
        return found
    }

    /// Whether this is one of `secrets` or below one, or is in a worktree what they are in a checkout above it; all are
    /// canonical.
    package func isSecret(among secrets: [String]) -> Bool {
        ([self] + originals).contains { path in secrets.contains(where: path.isPath(inside:)) }
    }

    /// Whether the names of both files end alike behind their last dots.
    package func hasPathExtension(of other: String) -> Bool {
        (self as NSString).pathExtension == (other as NSString).pathExtension
    }
}
