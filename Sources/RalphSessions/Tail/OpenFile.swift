import Foundation

/// A regular file, open for reading as long as this object lives.
///
/// Not opened through a symbolic link, neither as its last component nor on the way, never waiting on a pipe or device.
final class OpenFile {
    let path: String
    let identity: FileIdentity
    private let descriptor: Int32

    /// Reading leaves no trace in the file's times, which would be a write for each read: `O_NOATIME` (open(2)), which the
    /// C module leaves out. It is the owner's right alone.
    #if os(Linux)
    private static let traceless: Int32 = 0o1000000
    #else
    private static let traceless: Int32 = 0
    #endif

    init(_ path: String) throws(TailError) {
        var descriptor = DirectPath.open(path, O_RDONLY | O_NONBLOCK | Self.traceless)
        if descriptor < 0, errno == EPERM { descriptor = DirectPath.open(path, O_RDONLY | O_NONBLOCK) }
        guard descriptor >= 0 else { throw TailError(errno: errno, path: path) }
        guard let status = EntryStatus(descriptor: descriptor), status.kind == .file else {
            close(descriptor)
            throw .notRegularFile(path: path)
        }
        self.path = path
        self.descriptor = descriptor
        identity = FileIdentity(status)
    }

    deinit { close(descriptor) }

    /// The status of the open file, whatever stands at its path by now.
    func status() throws(TailError) -> EntryStatus {
        guard let status = EntryStatus(descriptor: descriptor) else {
            throw TailError(errno: errno, path: path)
        }
        return status
    }

    /// Fills `buffer` from `offset` on; less than its size only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TailError) -> Int {
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let wanted = buffer.count - filled
            let count = pread(descriptor, base + filled, wanted, off_t(offset) + off_t(filled))
            if count > 0 {
                filled += count
                // A regular file gives less than it is asked for only at its end.
                if count < wanted { break }
            } else if count == 0 {
                break
            } else if errno != EINTR {
                throw TailError(errno: errno, path: path)
            }
        }
        return filled
    }

    /// Whether `bytes` stand at `offset`.
    func holds(_ bytes: [UInt8], at offset: Int64, buffer: ReadBuffer) throws(TailError) -> Bool {
        guard !bytes.isEmpty else { return true }
        let memory = buffer.bytes(bytes.count)
        return try read(into: memory, at: offset) == bytes.count && memory.elementsEqual(bytes)
    }

    /// Up to `count` bytes from `offset` on; fewer only at the end of the file.
    func bytes(at offset: Int64, count: Int) throws(TailError) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        var failure: TailError?
        var filled = 0
        bytes.withUnsafeMutableBytes { buffer in
            do throws(TailError) { filled = try read(into: buffer, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
        bytes.removeLast(count - filled)
        return bytes
    }
}
