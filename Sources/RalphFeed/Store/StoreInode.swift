import Foundation

/// Which file stands at a path.
struct StoreInode: Sendable, Equatable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` if nothing stands there, or nobody can tell.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        number = UInt64(status.st_ino)
    }
}
