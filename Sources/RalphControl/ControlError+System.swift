import Foundation

extension ControlError {
    /// What an errno at `path` means to a command. A link, or something that is no plain file, where a file of
    /// the session should be, is no accident that a retry would mend.
    init(errno code: Int32, path: String) {
        switch code {
        case ELOOP, ENXIO, EISDIR: self = .unsafePath(path)
        default: self = .unwritable(path: path, reason: String(cString: strerror(code)))
        }
    }
}
