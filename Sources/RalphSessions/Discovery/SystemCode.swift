import Foundation

/// An errno.
package struct SystemCode: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// Whether it says that there is no such file or directory (any more).
    package var isAbsence: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

    /// Whether it says that a path is none, or that of something that cannot be opened: a socket (open(2)).
    package var isOtherKind: Bool { code == ENXIO || code == EINVAL || code == ENAMETOOLONG }

    /// Whether the same call will succeed soon without anybody touching the file, as when there is no free descriptor.
    package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }

    package var description: String { WatchError.sentence(code) }
}
