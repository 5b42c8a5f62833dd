#if os(Linux)
import Foundation

/// Keeps everybody else from opening a file, which must be open nowhere (fcntl(2), `F_SETLEASE`).
public final class FileLease {
    private static let setLease: Int32 = 1024
    private let file: Int32

    /// `nil` if the file is open somewhere, or its file system knows no leases.
    public init?(_ path: String) {
        // Whoever tries to open the file has the holder told with this signal, which would end it.
        signal(SIGIO, SIG_IGN)
        file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { return nil }
        guard fcntl(file, Self.setLease, Int32(F_WRLCK)) == 0 else {
            close(file)
            return nil
        }
    }

    public func end() { _ = fcntl(file, Self.setLease, Int32(F_UNLCK)) }

    deinit { close(file) }
}
#endif
