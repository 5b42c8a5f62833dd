import Foundation

/// The entries of one directory, as far as discovery asks for them.
struct DirectoryListing: Sendable {
    /// Names of directories, sorted.
    private(set) var directories: [String] = []
    /// Names of regular files that may matter, sorted: see ``matters(_:)``.
    private(set) var files: [String] = []
    /// How many entries are links; they are not followed.
    private(set) var links = 0
    /// How many directories have a name that is not UTF-8; they are not entered.
    private(set) var unnameable = 0

    /// Reads the directory at `path`, whose last component must not be a link.
    ///
    /// - Parameter excludes: names of directories that are passed over.
    /// - Throws: the errno of what failed.
    static func read(_ path: String, without excludes: Set<String> = []) throws(SystemCode)
        -> DirectoryListing
    {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCode(errno) }
        guard let stream = fdopendir(descriptor) else {
            let code = SystemCode(errno)
            close(descriptor)
            throw code
        }
        defer { closedir(stream) }
        var listing = DirectoryListing()
        errno = 0
        while let entry = readdir(stream) {
            listing.take(entry, of: path)
            errno = 0
        }
        // ENOENT is what a directory gives that was removed while it was read: it is as good as empty.
        guard errno == 0 || errno == ENOENT else { throw SystemCode(errno) }
        listing.directories.removeAll(where: excludes.contains)
        listing.directories.sort()
        listing.files.sort()
        return listing
    }

    /// Whether a file of this name is kept in ``files``.
    static func matters(_ name: String) -> Bool {
        name.hasSuffix(".jsonl") || SessionDirectory.isRalphEvidence(name)
    }

    func has(directory name: String) -> Bool { directories.contains(name) }
    func has(file name: String) -> Bool { files.contains(name) }

    private mutating func take(_ entry: UnsafeMutablePointer<dirent>, of path: String) {
        guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
        let bytes = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        if bytes[0] == 0x2E, bytes[1] == 0 || (bytes[1] == 0x2E && bytes[2] == 0) { return }
        let name = String(validatingCString: bytes)
        switch kind(of: entry, name: name, in: path) {
        case .directory:
            if let name { directories.append(name) } else { unnameable += 1 }
        case .file:
            if let name, Self.matters(name) { files.append(name) }
        case .link: links += 1
        case .other, nil: break
        }
    }

    private func kind(
        of entry: UnsafeMutablePointer<dirent>, name: String?, in path: String
    ) -> EntryStatus.Kind? {
        switch Int(entry.pointee.d_type) {
        case Int(DT_DIR): .directory
        case Int(DT_REG): .file
        case Int(DT_LNK): .link
        // Some file systems do not say in the listing what an entry is (readdir(3)).
        case Int(DT_UNKNOWN): name.flatMap { EntryStatus(at: path + "/" + $0)?.kind }
        default: .other
        }
    }
}
