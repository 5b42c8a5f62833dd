import Foundation
import RalphSessions

/// A file that a setting names: a key, a certificate.
enum NamedFile {
    /// Why a file cannot be had, as a part of a sentence.
    struct Unreadable: Error {
        let reason: String
    }

    /// The first `maximumBytes` of the regular file at `path`, in which `~` is the home.
    ///
    /// - Parameter isPrivate: whether it must be its owner's alone.
    static func read(
        _ path: String, isPrivate: Bool, maximumBytes: Int
    ) throws(Unreadable) -> [UInt8] {
        // A pipe that nobody writes to holds nobody up.
        let descriptor = open((path as NSString).expandingTildeInPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file else {
            throw Unreadable(reason: "this is no file")
        }
        guard status.isPrivate || !isPrivate else {
            throw Unreadable(reason: "others may read or change it; chmod 600 it")
        }
        guard let bytes = BoundedFile.content(descriptor, maximumBytes: maximumBytes) else {
            throw Unreadable(reason: "it cannot be read")
        }
        return bytes
    }
}
