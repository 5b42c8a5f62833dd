import Foundation
import RalphSessions

/// The lock on a file that Ralph writes too: `flock` on `<name>.lock` beside it (contract 6.2).
///
/// Never waited for: whoever wants it comes back. The kernel drops it when the process ends.
final class SideFileLock {
    enum Kind {
        /// To read; several at a time.
        case shared
        /// To write; alone.
        case exclusive
    }

    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Takes the lock of `spot`; `nil`: somebody else holds it.
    ///
    /// A reader that may not make the lock file goes without one where there is none: nobody can hold it.
    /// - Parameter canCreate: whether a missing lock file is made, as Ralph's readers do.
    static func take(
        _ kind: Kind, of spot: SharedFile.Spot, canCreate: Bool
    ) throws(ControlError) -> SideFileLock? {
        let name = spot.name + SessionDirectory.lockSuffix
        let file: Int32
        do {
            let isNew = !spot.directory.holds(name)
            if isNew, !canCreate { return SideFileLock(-1) }
            file = try spot.directory.openFile(name, canCreate ? O_RDWR | O_CREAT : O_RDONLY)
            if isNew { spot.directory.share(file) }
        } catch {
            guard kind == .shared, case .unwritable = error else { throw error }
            guard spot.directory.holds(name) else { return SideFileLock(-1) }
            file = try spot.directory.openFile(name, O_RDONLY)
        }
        let lock = SideFileLock(file)
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        while flock(file, operation) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw ControlError(errno: errno, path: spot.path) }
        }
        // A lock file that was removed meanwhile is nobody's lock any more.
        var own = stat()
        guard fstat(file, &own) == 0, let named = spot.directory.status(of: name),
            own.st_ino == named.st_ino, own.st_dev == named.st_dev
        else { return nil }
        return lock
    }
}
