import Foundation

/// The right to use a store: an flock(2) on `<store>.lock` and on its directory, held until ``release()`` or the process
/// ends.
///
/// The file stays: removing it would let two processes lock two files of one name. Where somebody else removes it, the
/// directory is what both would have to hold.
package final class StoreLock: Sendable {
    /// What the name of the store is followed by in that of the lock's file.
    static let suffix = ".lock"

    private let descriptor: Int32
    /// -1: it cannot be opened.
    private let directory: Int32

    /// - Throws: ``StoreError/inUse(path:pid:)`` if another feed holds it, in this process or elsewhere.
    package init(store path: String) throws(StoreError) {
        descriptor = open(path + Self.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(path: path, reason: String(cString: strerror(errno)))
        }
        directory = Self.openDirectory(of: path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let pid = Self.writtenPID(descriptor)
            release()
            throw .inUse(path: path, pid: pid)
        }
        guard !Self.isTaken(directory, LOCK_EX) else {
            release()
            // The holder's pid is in a file that was removed.
            throw .inUse(path: path, pid: nil)
        }
        let text = Array("\(getpid())\n".utf8)
        // The pid only serves the other's error message: the lock holds without it.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    /// Gives the right back; call once.
    package func release() {
        for descriptor in [directory, descriptor] where descriptor >= 0 {
            // A child that has yet to become another program has the descriptor too, and would keep the lock.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    /// The holder's, as its file says; `nil`: it says none.
    static func writtenPID(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        let digits = String(decoding: text[..<count], as: UTF8.self)
        return Int32(digits.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Whether somebody else holds what `descriptor` is of; it is ours then if not.
    ///
    /// Where the file system knows no such lock, as some know none on directories, nobody does.
    static func isTaken(_ descriptor: Int32, _ kind: Int32) -> Bool {
        descriptor >= 0 && flock(descriptor, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// -1: it cannot be opened.
    static func openDirectory(of path: String) -> Int32 {
        open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
}
