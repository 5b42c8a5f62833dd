import Foundation
import Glibc

/// An open file with a `flock`, which the kernel drops when this process ends.
final class LockedFile {
    private let descriptor: Int32

    /// Waits for the lock.
    init(waitingFor path: String) throws(StandInError) {
        descriptor = try Self.open(path)
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    }

    /// Waits for a lock that others may share.
    init(sharing path: String) throws(StandInError) {
        descriptor = try Self.open(path)
        while flock(descriptor, LOCK_SH) != 0, errno == EINTR {}
    }

    /// `nil` if somebody else holds the lock.
    init?(trying path: String) throws(StandInError) {
        descriptor = try Self.open(path)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// Keeps the lock at least until here.
    func hold() {}

    /// The whole text.
    var text: String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        lseek(descriptor, 0, Int32(SEEK_SET))
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Truncates, then writes: in between a reader sees nothing.
    func replaceText(_ text: String) {
        ftruncate(descriptor, 0)
        lseek(descriptor, 0, Int32(SEEK_SET))
        Output.write(Array(text.utf8), to: descriptor)
    }

    /// Adds a line at the end.
    func appendLine(_ line: String) {
        lseek(descriptor, 0, Int32(SEEK_END))
        Output.write(Array((line + "\n").utf8), to: descriptor)
    }

    private static func open(_ path: String) throws(StandInError) -> Int32 {
        try TextFile.makeDirectory((path as NSString).deletingLastPathComponent)
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .failure("open \(path): \(String(cString: strerror(errno)))")
        }
        return descriptor
    }
}
