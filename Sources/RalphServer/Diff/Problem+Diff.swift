import RalphControl
import RalphSessions
import RalphWire

/// What can go wrong with looking at a session's files.
extension Problem {
    init(_ error: GitError) {
        switch error {
        case .missing:
            self.init(
                status: 503, error: "git_missing", code: .unavailable,
                details:
                    "Install git (Debian and Ubuntu: apt-get install git) where the server's PATH has it.")
        case .timeout:
            self.init(
                status: 503, error: "diff_timeout", code: .unavailable,
                details: "git was not done in \(WorkspaceDiff.patience).", retryAfter: 10)
        case .failed(let text):
            self.init(
                status: 409, error: "repository_unreadable: \(Self.oneLine(text))", code: .conflict)
        case .unwritable(let reason):
            self.init(
                status: 503, error: "store_unavailable", code: .unavailable,
                details: "The state directory cannot be written: \(Self.oneLine(reason))")
        case .unavailable(let text):
            self.init(status: 503, error: "unavailable", code: .unavailable, details: text, retryAfter: 5)
        case .unreadable(let file): self.init(file)
        }
    }

    /// As many requests of a kind as may work and wait do so.
    static func tooMany(_ what: String) -> Problem {
        Problem(
            status: 503, error: "busy", code: .unavailable,
            details: "As many \(what) as may be made at once are being made.", retryAfter: 2)
    }

    /// What is there and cannot be read is not told as absent.
    init(_ file: UnreadableFile) {
        self.init(
            status: 500, error: "file_unreadable: \(file.reason)", code: .internalError, details: file.path)
    }

    /// - Parameter name: what the document is called.
    static func documentRefused(_ name: String) -> Problem {
        Problem(
            status: 404, error: "file_not_found: \(name)", code: .notFound,
            details: "What is there is no regular file of the session.")
    }
}
