import Foundation
import RalphSessions

/// An open directory. Its entries are reached through the descriptor, so that a path which is swapped for a
/// link in between leads nowhere else.
final class DirectoryHandle {
    let path: String
    let descriptor: Int32

    /// Opens the directory at `path`, which links may lead to as long as they end at or below one of `roots`
    /// (canonical, without a trailing slash).
    ///
    /// - Throws: ``ControlError/unsafePath(_:)`` outside of the roots, ``ControlError/unwritable(path:reason:)``.
    init(_ path: String, inside roots: [String]) throws(ControlError) {
        let descriptor = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ControlError(errno: errno, path: path) }
        guard let real = DirectPath.path(of: descriptor), roots.contains(where: { real.isPath(inside: $0) })
        else {
            close(descriptor)
            throw .unsafePath(path)
        }
        self.path = path
        self.descriptor = descriptor
    }

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Takes the directory's own lock for as long as this handle is (flock(2)); `false`: somebody else holds it.
    /// Where the file system has no locks, there is none to take.
    func lock() -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { return errno != EWOULDBLOCK }
        }
        return true
    }

    /// The directory `name` in this one, which is no link; made if it is missing.
    func subdirectory(_ name: String) throws(ControlError) -> DirectoryHandle {
        let place = path + "/" + name
        if mkdirat(descriptor, name, 0o755) != 0, errno != EEXIST {
            throw ControlError(errno: errno, path: place)
        }
        let inner = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        // A link where a directory is asked for is ENOTDIR here (open(2)).
        guard inner >= 0 else {
            throw errno == ENOTDIR ? .unsafePath(place) : ControlError(errno: errno, path: place)
        }
        return DirectoryHandle(path: place, descriptor: inner)
    }
}
