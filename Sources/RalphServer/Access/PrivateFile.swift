import Foundation

/// Writes files that only their owner may read.
enum PrivateFile {
    /// Replaces a file as one step: after a crash it has the old contents or the new ones. Mode 0600.
    static func replace(_ path: String, with contents: Data) throws {
        let temporary = path + ".new"
        _ = unlink(temporary)  // what a crash left
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: contents)
            try file.synchronize()
            try file.close()
            guard rename(temporary, path) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            syncFolder(of: path)
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    /// Puts the new name on disk as well; where a file system cannot, it keeps names safe by itself.
    private static func syncFolder(of path: String) {
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }
}
