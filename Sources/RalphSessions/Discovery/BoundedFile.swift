import Foundation

/// Reading a whole small file that anybody may have put there.
package enum BoundedFile {
    /// The content of the regular file at `path`, which must not be a link itself.
    ///
    /// - Parameter isDirect: whether no directory on the way may be a link either, as none was when the path was found.
    /// - Returns: `nil` for anything but a readable regular file, and for one of more than `maximumBytes`
    ///   unless `isCut`, which gives the beginning then.
    package static func read(_ path: String, maximumBytes: Int, isCut: Bool = false, isDirect: Bool = false)
        -> [UInt8]?
    {
        // O_NONBLOCK: opening a FIFO must not wait for its writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = isDirect ? DirectPath.open(path, flags) : open(path, flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file else { return nil }
        guard isCut || status.size <= Int64(maximumBytes) else { return nil }
        return content(descriptor, maximumBytes: maximumBytes)
    }

    /// Like ``read(_:maximumBytes:isCut:)`` for files of proc(5), whose size says nothing.
    package static func readSystemFile(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return content(descriptor, maximumBytes: maximumBytes)
    }

    /// The first `maximumBytes` of an open file; `nil` if it cannot be read.
    static func content(_ descriptor: Int32, maximumBytes: Int) -> [UInt8]? {
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
}
