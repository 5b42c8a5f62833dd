package import RalphSessions

/// Why git gave no answer.
package enum GitError: Error, Sendable, Equatable {
    /// There is no `git` on `PATH`.
    case missing
    /// It was not done in time, and was ended.
    case timeout
    /// What it said last.
    case failed(String)
    /// A file that says where the repository is cannot be read.
    case unreadable(UnreadableFile)
}
