import Foundation
import RalphSessions
import RalphWire

/// A git directory of our own that lets git see a repository's objects, a copy of its index and its head,
/// and nothing else.
///
/// A repository's configuration can name programs in more ways than can be switched off one by one: file
/// system monitors, hooks, filters, diff drivers, remotes of partial clones. Here git reads a configuration
/// that we wrote, so attributes name drivers that nobody defined. New objects and the index go here too:
/// the repository is never written.
package struct GitShelter: Sendable {
    /// A larger index is not copied, bytes.
    package static let maximumIndexBytes = 128 << 20
    /// Files beyond this are binary to git, so that it never holds one whole.
    private static let bigFile = "8m"
    private static let maximumExcludeBytes = 256 << 10

    package let path: String
    package let place: GitPlace
    package let head: GitHead

    /// Makes it at `path`, replacing what is there.
    ///
    /// - Parameter ignoreFile: patterns of files that git does not see, read before the repository's own.
    /// - Throws: ``GitError/failed(_:)``, ``GitError/unwritable(_:)``.
    package init(
        at path: String, of place: GitPlace, head: GitHead, ignoreFile: String?
    ) throws(GitError) {
        self.path = path
        self.place = place
        self.head = head
        remove()
        do {
            for folder in ["objects/info", "refs", "info"] {
                try FileManager.default.createDirectory(
                    atPath: path + "/" + folder, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            try write("HEAD", Array(((head.commit ?? "ref: refs/heads/none") + "\n").utf8))
            try write("config", Array(configuration.utf8))
            try write("objects/info/alternates", Array((Self.quoted(place.common + "/objects") + "\n").utf8))
            try writeExcludes(ignoreFile)
            try copy("shallow", from: place.common, maximumBytes: Self.maximumExcludeBytes)
            try copyIndex()
        } catch let error as GitError {
            throw error
        } catch {
            throw .unwritable(error.localizedDescription)
        }
    }

    /// Whether the history ends before its beginning.
    package var isShallow: Bool { FileManager.default.fileExists(atPath: path + "/shallow") }

    /// Takes it away. What cannot be removed the next server removes.
    package func remove() { Self.remove(path) }

    package static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)  // see above
    }

    /// Writes the list of paths that an `add` reads, each with a NUL behind it.
    package func writePathList(_ paths: [[UInt8]]) throws(GitError) -> String {
        do {
            try write("paths", paths.flatMap { $0 + [0] })
        } catch {
            throw .unwritable(error.localizedDescription)
        }
        return path + "/paths"
    }

    /// What git is told beside what every git is told.
    var variables: [String: String] {
        ["GIT_DIR": path, "GIT_WORK_TREE": place.top, "GIT_INDEX_FILE": path + "/index"]
    }

    private var configuration: String {
        var lines = [
            "[core]", "repositoryformatversion = \(head.isSHA256 ? 1 : 0)", "bare = false",
            "fsmonitor = false", "untrackedCache = false", "hooksPath = /dev/null", "quotePath = false",
            "pager = cat", "attributesFile = /dev/null", "excludesFile = /dev/null",
            "bigFileThreshold = \(Self.bigFile)",
        ]
        lines += head.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        if head.isSHA256 { lines += ["[extensions]", "objectFormat = sha256"] }
        lines += ["[gc]", "auto = 0", "[submodule]", "recurse = false", "[diff]", "external = "]
        return lines.joined(separator: "\n") + "\n"
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    private func copy(_ name: String, from source: String, maximumBytes: Int) throws {
        guard let bytes = BoundedFile.read(source + "/" + name, maximumBytes: maximumBytes) else { return }
        try write(name, bytes)
    }

    /// Of two patterns for a file the later one counts, and the repository's go before the user's (gitignore(5)).
    private func writeExcludes(_ ignoreFile: String?) throws {
        // The user's own may be a link, as tools that keep such files make them.
        let ignored = ignoreFile.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        let files = [ignored, place.common + "/info/exclude"].compactMap { $0 }
        let lists = files.compactMap { BoundedFile.read($0, maximumBytes: Self.maximumExcludeBytes) }
        try write("info/exclude", Array(lists.joined(separator: [UInt8(ascii: "\n")])))
    }

    /// A missing index is an empty one; a split one has its other part beside it (git-update-index(1)).
    private func copyIndex() throws {
        let source = place.directory + "/index"
        // Asked before the content is read: too old a time only makes git compare more files.
        var status = stat()
        guard stat(source, &status) == 0 else { return }
        guard let index = BoundedFile.read(source, maximumBytes: Self.maximumIndexBytes) else {
            throw GitError.failed("the index is no regular file, or too large")
        }
        try write("index", index)
        try keepTime(of: status, at: path + "/index")
        let shared = Set(try listed().filter { $0.hasPrefix("sharedindex.") })
        guard let name = sharedIndex(of: Data(index), among: shared) else { return }
        try copy(name, from: place.directory, maximumBytes: Self.maximumIndexBytes)
    }

    /// The names in the repository's own directory.
    private func listed() throws(GitError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: place.directory)
        } catch {
            throw .failed("the git directory cannot be listed")
        }
    }

    /// The file that a split index goes by, whose hash is in its extension `link` (gitformat-index(5)); git leaves older
    /// ones beside it for weeks.
    private func sharedIndex(of index: Data, among names: Set<String>) -> String? {
        guard !names.isEmpty else { return nil }
        let count = head.isSHA256 ? 32 : 20
        var rest = index[...]
        // A path may say `link` as well.
        while let found = rest.range(of: Data("link".utf8)) {
            let hash = index.dropFirst(found.upperBound + 4).prefix(count)
            let name = "sharedindex." + Hexadecimal.text(Array(hash))
            if names.contains(name) { return name }
            rest = index[found.upperBound...]
        }
        return nil
    }

    /// Files that were changed in the second in which the index was written look unchanged to git unless
    /// the index's own time tells it so (git's "racy" entries).
    private func keepTime(of status: stat, at path: String) throws {
        #if canImport(Darwin)
        let times = [status.st_mtimespec, status.st_mtimespec]
        #else
        let times = [status.st_mtim, status.st_mtim]
        #endif
        guard utimensat(AT_FDCWD, path, times, 0) == 0 else {
            throw GitError.unwritable("the index's time cannot be kept: \(RunFiles.reason(errno))")
        }
    }

    /// A path as `alternates` may hold it (git's C style).
    private static func quoted(_ path: String) -> String {
        var text = "\""
        for character in path.unicodeScalars {
            switch character {
            case "\"", "\\": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(character)
            }
        }
        return text + "\""
    }
}
