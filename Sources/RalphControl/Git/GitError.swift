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
    ///
    /// - Parameter dataBytes: of memory that it might have.
    static func refused(_ outcome: CapturedRun.Outcome, of dataBytes: Int) -> GitError {
        let memory = "its \(dataBytes >> 20) MiB of memory"
        let error = outcome.lastError ?? ""
        if memoryErrors.contains(where: { error.hasPrefix($0) }) {
            return .failed("git needed more than \(memory)")
        }
        if error.hasPrefix(threadError), !error.hasPrefix(threadError + "'"), error.contains("thread") {
            return .failed(
                "git could start no thread within \(memory) and the limits on processes of the server's user")
        }
        let end = outcome.code.map { "with status \($0)" } ?? "by a signal"
        return .failed("git ended \(end); git status in the workspace says why")
    }

    /// What git says for want of memory, of itself or by zlib.
    private static let memoryErrors = [
        "fatal: Out of memory", "fatal: inflate: out of memory", "fatal: inflateInit: out of memory",
    ]
    /// What it says of a thread that it cannot have, before it names its work; of a file it gives the name in quotes.
    private static let threadError = "fatal: unable to create "
}
