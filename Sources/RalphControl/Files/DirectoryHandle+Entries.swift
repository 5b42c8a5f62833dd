import Foundation
import RalphSessions

/// Making, reading and removing entries. Names are single components; links are neither followed nor replaced
/// by accident.
extension DirectoryHandle {
    /// Whether something of this name is there, be it a link that leads nowhere.
    func holds(_ name: String) -> Bool { status(of: name) != nil }

    /// Makes the empty file `name`; one that is there already stays as it is.
    func create(_ name: String) throws(ControlError) {
        let file = try openFile(name, O_WRONLY | O_CREAT)
        close(file)
    }

    /// Removes `name`.
    ///
    /// - Returns: whether it was there.
    @discardableResult
    func remove(_ name: String) throws(ControlError) -> Bool {
        if unlinkat(descriptor, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw ControlError(errno: errno, path: path + "/" + name) }
        return false
    }

    /// Gives `name` the content `bytes` in one step: nobody sees a half of it.
    func replace(_ name: String, with bytes: [UInt8]) throws(ControlError) {
        try install(name) { Self.writeAll(bytes, to: $0) }
    }

    /// Puts a new file in the place of `name`, or nothing (rename(2)).
    ///
    /// - Parameter write: gives the open file its content; `false`, with the reason in `errno`, if that is not possible.
    func install(_ name: String, _ write: (Int32) -> Bool) throws(ControlError) {
        removeLeftovers(of: name)
        let temporary = ".\(name).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).tmp"
        let file = try openFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
        let isWritten = write(file)
        var reason = errno
        close(file)
        if isWritten {
            if renameat(descriptor, temporary, descriptor, name) == 0 { return }
            reason = errno
        }
        unlinkat(descriptor, temporary, 0)
        throw ControlError(errno: reason, path: path + "/" + name)
    }

    /// The content of the regular file `name`; `nil` if there is none, it is larger, or it cannot be read.
    func content(of name: String, maximumBytes: Int) -> [UInt8]? {
        let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= off_t(maximumBytes)
        else { return nil }
        return BoundedFile.content(file, maximumBytes: Int(status.st_size))
    }

    /// Opens the regular file `name`; the caller closes it.
    ///
    /// - Throws: ``ControlError/unsafePath(_:)`` for a link, a pipe, a device or a directory.
    func openFile(_ name: String, _ flags: Int32) throws(ControlError) -> Int32 {
        let place = path + "/" + name
        // O_NONBLOCK: opening a FIFO must not wait for its other end.
        let file = openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ControlError(errno: errno, path: place) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw .unsafePath(place)
        }
        return file
    }

    /// Writes all of `bytes`; `false` with the reason in `errno` when that is not possible.
    static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { memory in
                write(file, memory.baseAddress.map { $0 + written }, memory.count - written)
            }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
