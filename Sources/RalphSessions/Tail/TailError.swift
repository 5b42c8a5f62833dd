import Foundation

/// Why a file could not be read. The same read may be repeated; nothing was consumed.
package enum TailError: Error, Sendable, Equatable {
    /// Nothing is at this path.
    case missing(path: String)
    /// The permissions of the file or of a directory above it forbid reading.
    case notPermitted(path: String)
    /// A directory, a pipe, a device or a symbolic link: never opened for reading.
    case notRegularFile(path: String)
    /// The file is not the one, or not in the state, that a place in it was taken from.
    case fileChanged(path: String)
    /// The file is being put back, or was cut, and does not have what was read of it: see ``ReturningFile``.
    case returning(path: String)
    /// Any other errno(3) of the system.
    case unreadable(path: String, errno: Int32)

    /// The error that the system's `code` means for `path`.
    init(errno code: Int32, path: String) {
        switch code {
        case ENOENT, ENOTDIR: self = .missing(path: path)
        case EACCES, EPERM: self = .notPermitted(path: path)
        case ELOOP, EISDIR, ENXIO: self = .notRegularFile(path: path)
        default: self = .unreadable(path: path, errno: code)
        }
    }

    /// Whether the same read will succeed soon without anybody touching the file, as when there is no free descriptor.
    package var isPassing: Bool {
        switch self {
        case .unreadable(_, let code): SystemCode(code).isPassing
        case .returning: true
        case .missing, .notPermitted, .notRegularFile, .fileChanged: false
        }
    }
}

extension TailError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path) is not there."
        case .notPermitted(let path):
            "\(path) may not be read by this user; check its permissions and those of its directories."
        case .notRegularFile(let path):
            "\(path) is not a regular file and is left alone."
        case .fileChanged(let path):
            "\(path) was truncated, replaced or rewritten since; that part of it is gone."
        case .returning(let path):
            "\(path) is shorter than what was read of it, as while it is put back; it is read on when that is over."
        case .unreadable(let path, let code):
            "\(path) could not be read: \(String(cString: strerror(code)))."
        }
    }
}
