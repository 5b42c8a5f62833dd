import Foundation

/// Says that the server of a demonstration lives: an flock(2) that the kernel drops with the process, however it ends.
/// The play's agent looks at it, see `ralph-stand-in agent --help`.
final class DemoLock: Sendable {
    /// The variable that tells the runs of the demonstration the file. Whatever agent their configurations name, the
    /// stand-in then starts none but its play.
    static let variable = "RALPH_STAND_IN_DEMO"

    /// The file, directly in the demonstration's root.
    let path: String
    private let descriptor: Int32

    /// - Throws: `POSIXError` if the file cannot be made or locked.
    init(in root: String) throws {
        path = root + "/.server.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}
