/// Why a file of a workspace was not read or written.
package enum WorkspaceError: Error, Sendable, Equatable {
    /// A link leads out of the declared roots, or something that is no plain file stands in the way; the path.
    case unsafePath(String)
    /// Path and reason.
    case unreadable(path: String, reason: String)
    /// Path and reason, such as a full disk; what was there is as it was.
    case unwritable(path: String, reason: String)
    /// The file has more than `limit` bytes, or would have.
    case tooLarge(path: String, limit: Int)
    /// The file is not as the caller knows it.
    case changed
    /// What would be replaced is no UTF-8: whoever read it as text has not seen all of it.
    case notUTF8(path: String)
    /// No task has this id.
    case taskNotFound
    /// The workspace's layout is not known: nothing is written to it.
    case readOnly

    init(reading error: ControlError) {
        switch error {
        case .unsafePath(let path): self = .unsafePath(path)
        case .unwritable(let path, let reason): self = .unreadable(path: path, reason: reason)
        default: self = .unreadable(path: "", reason: "\(error)")
        }
    }

    init(writing error: ControlError) {
        switch error {
        case .superseded: self = .changed
        case .unsafePath(let path): self = .unsafePath(path)
        case .unwritable(let path, let reason): self = .unwritable(path: path, reason: reason)
        default: self = .unwritable(path: "", reason: "\(error)")
        }
    }
}
