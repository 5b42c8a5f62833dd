import Foundation

/// An errno.
package struct SystemCode: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32

    package init(_ code: Int32) { self.code = code }

    /// Whether it says that there is no such file or directory (any more).
    package var isAbsence: Bool { code == ENOENT || code == ENOTDIR || code == ELOOP }

    /// Whether it says that there is no file to be read: nothing, no path, or something of another kind, as a socket is
    /// (open(2)). Anything else says nothing about what is there.
    package var meansNoFile: Bool {
        isAbsence || [ENXIO, EINVAL, ENAMETOOLONG, EILSEQ].contains(code)
    }

    /// Whether the same call will succeed soon without anybody touching the file, as when there is no free descriptor.
    package var isPassing: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(code) }

    /// Whether it says that nobody gave an answer about the file: the system lacks something at present, or the device or the
    /// server that keeps the file is broken or out of reach.
    package var meansNoAnswer: Bool {
        isPassing || [EIO, ESTALE, ENOTCONN, ETIMEDOUT, EHOSTDOWN].contains(code)
    }

    package var description: String { WatchError.sentence(code) }
}
