package import RalphSessions

/// Why git gave no answer.
package enum GitError: Error, Sendable, Equatable {
    /// There is no `git` on `PATH`.
    case missing
    /// It was not done in time, and was ended.
    case timeout
    /// It cannot read the repository; a sentence of ours.
    case failed(String)
    /// The state directory cannot be written: the system's reason.
    case unwritable(String)
    /// Nothing can be done at the moment, for whatever workspace; a sentence of ours.
    case unavailable(String)
    /// A file that says where the repository is cannot be read.
    case unreadable(UnreadableFile)

    /// Git ended with an error. What it says is for nobody: it may quote any file that the repository links to.
    static func refused(_ outcome: CapturedRun.Outcome) -> GitError {
        let end = outcome.code.map { "with status \($0)" } ?? "by a signal"
        return .failed("git ended \(end); git status in the workspace says why")
    }
}
