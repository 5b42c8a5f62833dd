import RalphControl
import RalphWire

/// What can be wrong with a request about a workspace's files (http-contract 7, 10).
extension Problem {
    /// The file that it happened to.
    enum WorkspaceFile: String, Sendable, CaseIterable {
        case tasks, memories, configuration
    }

    /// - Parameter isWriting: whether the file was to be changed.
    init(_ error: WorkspaceError, of file: WorkspaceFile, isWriting: Bool = false) {
        switch error {
        case .unsafePath(let path):
            let reason = "no plain file, or a link leads out of the workspace or to another kind of file"
            self = .unusable(file, reason, path, isWriting: isWriting)
        case .unreadable(let path, let reason): self = .unusable(file, reason, path, isWriting: false)
        case .unwritable(let path, let reason): self = .unusable(file, reason, path, isWriting: true)
        case .tooLarge(let path, let limit):
            self.init(
                status: 413, error: "\(file.rawValue)_too_large", code: .tooLarge,
                details: "\(path) may have \(limit) bytes.")
        case .changed:
            self.init(
                status: 409, error: "\(file.rawValue)_changed", code: .conflict,
                details: "The file was changed since; read it again.")
        case .notUTF8(let path):
            self.init(
                status: 409, error: "\(file.rawValue)_not_utf8", code: .conflict,
                details: "\(path) is not UTF-8; its bytes would be lost.")
        case .taskNotFound: self.init(status: 404, error: "task_not_found", code: .notFound)
        case .readOnly: self.init(.readOnly, during: .start)
        }
    }

    private static func unusable(
        _ file: WorkspaceFile, _ reason: String, _ path: String, isWriting: Bool
    ) -> Problem {
        Problem(
            status: 500,
            error: "Failed to \(isWriting ? "write" : "read") \(file.rawValue): \(oneLine(reason))",
            code: .internalError, details: path)
    }

    static func locked(_ file: WorkspaceFile) -> Problem {
        Problem(
            status: 503, error: "\(file.rawValue)_locked", code: .unavailable,
            details: "Another process holds the lock on the file, or on its directory.", retryAfter: 2)
    }

    static let workspaceBusy = Problem(
        status: 503, error: "busy", code: .unavailable,
        details: "As many requests as may wait for files are waiting.", retryAfter: 1)

    static let fileSystemSilent = Problem(
        status: 503, error: "file_system_silent", code: .unavailable,
        details: "The file system of the workspace does not answer; nobody waits for it any longer.",
        retryAfter: 10)

    static let memoriesNotFound = Problem(status: 404, error: "memories_not_found", code: .notFound)

    static let configurationNotFound = Problem(
        status: 404, error: "No ralph configuration file found (ralph.yml or ralph.yaml)", code: .notFound)

    static func invalidYAML(_ why: String) -> Problem {
        Problem(status: 400, error: "Invalid YAML: \(oneLine(why))", code: .badRequest)
    }

    static let emptyTitle = Problem(status: 400, error: "title cannot be empty", code: .badRequest)

    static let invalidPriority = Problem(
        status: 400, error: "priority must be between 1 and 5", code: .badRequest)

    static func invalidTaskStatus(_ given: String) -> Problem {
        let words = TaskStatus.allCases.map(\.rawValue).joined(separator: ", ")
        return Problem(
            status: 400, error: "invalid status '\(oneLine(given))', must be one of: \(words)",
            code: .badRequest)
    }
}
