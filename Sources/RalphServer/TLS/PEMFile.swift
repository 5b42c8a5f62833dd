import Foundation
import RalphSessions

/// Reads the files of a certificate.
enum PEMFile {
    /// More is no certificate, bytes.
    static let maximumBytes = 1 << 20

    /// The whole file; the reason in words else. A private one must be its owner's alone.
    static func read(_ path: String, isPrivate: Bool) throws(Unreadable) -> Data {
        // A pipe that nobody writes to holds nobody up.
        let descriptor = open((path as NSString).expandingTildeInPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Unreadable(reason: String(cString: strerror(errno))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file else {
            throw Unreadable(reason: "this is no file")
        }
        guard status.isPrivate || !isPrivate else {
            throw Unreadable(reason: "others may read or change it; chmod 600 it")
        }
        guard status.size <= maximumBytes else { throw Unreadable(reason: "it is too large") }
        do { return try file.read(upToCount: maximumBytes) ?? Data() } catch {
            throw Unreadable(reason: "it cannot be read")
        }
    }

    /// Why a file cannot be had, as a part of a sentence.
    struct Unreadable: Error {
        let reason: String
    }
}
