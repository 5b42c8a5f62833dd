import Foundation

/// Reading a whole small file that anybody may have put there.
package enum BoundedFile {
    /// What was found where a file should be.
    package enum Finding: Sendable, Equatable {
        case content([UInt8])
        /// Nothing, no regular file, or one that is too large.
        case none
        /// Something that could not be opened or read: a right is missing, or a free descriptor.
        case unreadable(SystemCode)
    }

    /// The content of the regular file at `path`, which must not be a link itself; `nil` without a readable one.
    ///
    /// Where it matters whether there is a file, ``find(_:maximumBytes:isCut:isDirect:)`` tells.
    package static func read(_ path: String, maximumBytes: Int, isCut: Bool = false, isDirect: Bool = false)
        -> [UInt8]?
    {
        let finding = find(path, maximumBytes: maximumBytes, isCut: isCut, isDirect: isDirect)
        return if case .content(let bytes) = finding { bytes } else { nil }
    }

    /// The content of the regular file at `path`, on the way to which nothing may be a link; `nil` without a readable one.
    ///
    /// - Throws: the reason where nobody gives an answer (``SystemCode/meansNoAnswer``): there may be one.
    package static func readKnown(_ path: String, maximumBytes: Int) throws(SystemCode) -> [UInt8]? {
        switch find(path, maximumBytes: maximumBytes, isDirect: true) {
        case .content(let bytes): return bytes
        case .unreadable(let reason) where reason.meansNoAnswer: throw reason
        case .none, .unreadable: return nil
        }
    }

    /// The content of the regular file at `path`, which must not be a link itself.
    ///
    /// - Parameters:
    ///   - maximumBytes: a larger file is ``Finding/none``, unless `isCut`, which gives its beginning.
    ///   - isDirect: whether no directory on the way may be a link either, as none was when the path was found.
    package static func find(_ path: String, maximumBytes: Int, isCut: Bool = false, isDirect: Bool = false)
        -> Finding
    {
        // O_NONBLOCK: opening a FIFO must not wait for its writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = isDirect ? DirectPath.open(path, flags) : open(path, flags)
        guard descriptor >= 0 else {
            let reason = SystemCode(errno)
            return reason.meansNoFile ? .none : .unreadable(reason)
        }
        defer { close(descriptor) }
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file else { return .none }
        guard isCut || status.size <= Int64(maximumBytes) else { return .none }
        guard let bytes = content(descriptor, maximumBytes: maximumBytes) else {
            return .unreadable(SystemCode(errno))
        }
        return .content(bytes)
    }

    /// Like ``read(_:maximumBytes:isCut:isDirect:)`` for files of proc(5), whose size says nothing.
    package static func readSystemFile(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let finding = findSystemFile(path, maximumBytes: maximumBytes)
        return if case .content(let bytes) = finding { bytes } else { nil }
    }

    /// Like ``find(_:maximumBytes:isCut:isDirect:)`` for files of proc(5).
    package static func findSystemFile(_ path: String, maximumBytes: Int) -> Finding {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return missing(SystemCode(errno)) }
        defer { close(descriptor) }
        guard let bytes = content(descriptor, maximumBytes: maximumBytes) else {
            return missing(SystemCode(errno))
        }
        return .content(bytes)
    }

    /// A process may end while its file is read.
    private static func missing(_ reason: SystemCode) -> Finding {
        reason.isAbsence || reason.code == ESRCH ? .none : .unreadable(reason)
    }

    /// The next `maximumBytes` of an open file, or what there is; `nil`, with the reason in `errno`, if it cannot
    /// be read.
    package static func content(_ descriptor: Int32, maximumBytes: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(maximumBytes, 16 * 1024))
        while bytes.count < maximumBytes {
            let length = part.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
            if length == 0 { break }
            if length < 0 {
                if errno == EINTR { continue }
                return nil
            }
            bytes += part[..<min(length, maximumBytes - bytes.count)]
        }
        return bytes
    }

    /// The `count` bytes of an open file from `offset` on; fewer only where it ends. Where it is read next stays as it is.
    package static func part(of descriptor: Int32, at offset: Int64, count: Int) throws(SystemCode) -> [UInt8]
    {
        var failure: SystemCode?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let length = pread(descriptor, base + filled, count - filled, off_t(offset) + off_t(filled))
                if length < 0, errno == EINTR { continue }
                if length < 0 { failure = SystemCode(errno) }
                guard length > 0 else { break }
                filled += length
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
