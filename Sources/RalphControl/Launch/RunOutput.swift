import CRalphProcess
import Foundation

/// The output file of a run, which grows as long as the run lives and cannot be rotated under it.
package enum RunOutput {
    /// The beginning is kept: by it a reader knows the file again.
    private static let keptHeadBytes: Int64 = 64 << 10

    /// What the run said on standard error whose standard output is `output`.
    package static func errors(beside output: String) -> String { RunFiles.errors(beside: output) }

    /// Gives the space of the oldest output back when the file takes more than `capBytes` on the disk: about
    /// half of that is left. Offsets stay what they are; what was there reads as NULs.
    ///
    /// - Parameter limit: nothing from this offset on is given back: how far the file has been read.
    /// - Returns: how many bytes became free; `nil` if the file system or the machine has no such call, or the
    ///   file cannot be opened.
    package static func trim(_ path: String, capBytes: Int64, before limit: Int64 = .max) -> Int64? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let before = status(descriptor) else { return nil }
        guard before.allocated > max(capBytes, 0) else { return 0 }
        let blocks = { (bytes: Int64) in bytes / before.block * before.block }
        let start = blocks(keptHeadBytes + before.block - 1)
        let end = blocks(min(limit, before.size - max(capBytes, 0) / 2))
        guard end > start else { return 0 }
        guard ralph_punch_hole(descriptor, start, end - start) == 0, let after = status(descriptor) else {
            return nil
        }
        return max(0, before.allocated - after.allocated)
    }

    /// `nil` for anything but a regular file.
    private static func status(_ descriptor: Int32) -> (size: Int64, allocated: Int64, block: Int64)? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        // st_blocks counts units of 512 bytes, whatever the block size is (stat(2)).
        return (Int64(status.st_size), Int64(status.st_blocks) * 512, max(Int64(status.st_blksize), 512))
    }
}
