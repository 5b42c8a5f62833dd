import Foundation

/// An errno.
struct SystemCode: Error, Hashable, Sendable, CustomStringConvertible {
    let code: Int32

    init(_ code: Int32) { self.code = code }

    /// Whether it says that there is no such file or directory (any more).
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

    var description: String { WatchError.sentence(code) }
}
