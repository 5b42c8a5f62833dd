import Foundation

/// Freeing a part of a file in place, as it is done with the output of long runs.
public enum Hole {
    /// `FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE` of fallocate(2).
    private static let mode: Int32 = 0x03

    private typealias Fallocate = @convention(c) (Int32, Int32, off_t, off_t) -> Int32

    /// Swift does not import fallocate(2), which hides behind `_GNU_SOURCE`.
    private static var fallocate: Fallocate? {
        dlsym(dlopen(nil, RTLD_NOW), "fallocate").map { unsafeBitCast($0, to: Fallocate.self) }
    }

    /// Makes the file at `path` read as NULs up to `end`, but for its first `kept` bytes; its size stays.
    public static func punch(_ path: String, keeping kept: Int = 0, upTo end: Int) throws {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.ENOENT) }
        defer { close(descriptor) }
        guard fallocate?(descriptor, mode, off_t(kept), off_t(end - kept)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
}
