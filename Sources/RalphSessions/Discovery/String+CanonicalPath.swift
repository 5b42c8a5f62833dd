import Foundation

extension String {
    /// This path with every link resolved (realpath(3)); `nil`: there is no such thing, or nobody can tell.
    package var canonicalPath: String? {
        // The reason is not asked for.
        try? resolvedPath()
    }

    /// This path with every link resolved; `nil`: there is no such file.
    ///
    /// - Throws: ``UnreadableFile`` if nobody can tell.
    package func resolvedFile() throws(UnreadableFile) -> String? {
        do throws(SystemCode) {
            return try resolvedPath()
        } catch {
            guard error.meansNoFile else { throw UnreadableFile(self, error) }
            return nil
        }
    }

    /// This path with every link resolved.
    ///
    /// - Throws: why nobody can tell; `EILSEQ` where it leads to what has no name in UTF-8.
    package func resolvedPath() throws(SystemCode) -> String {
        // What the system would read ends before a NUL, and of too long a path it might resolve the beginning.
        guard !utf8.contains(0) else { throw SystemCode(EINVAL) }
        guard utf8.count < Int(PATH_MAX) else { throw SystemCode(ENAMETOOLONG) }
        guard let pointer = realpath(self, nil) else { throw SystemCode(errno) }
        defer { free(pointer) }
        guard let path = String(validatingCString: pointer) else { throw SystemCode(EILSEQ) }
        return path
    }
}
