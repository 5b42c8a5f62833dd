import CRalphProcess
import Foundation

/// Starting a program that outlives this one: a session of its own, three descriptors, signals as in a shell.
struct ChildProcess {
    let program: String
    let arguments: [String]
    let environment: [String: String]
    let directory: String
    /// The soft limit on open descriptors that it begins with; `nil`: ours.
    var descriptors: Int?

    /// - Parameters:
    ///   - output: opened for writing, above 2; stays open here.
    ///   - errors: likewise.
    /// - Returns: the child's number; it is ours to reap.
    /// - Throws: the errno of posix_spawn(3).
    func spawn(output: Int32, errors: Int32) throws(ChildProcessError) -> Int32 {
        guard let input = RunFiles.raised(open("/dev/null", O_RDONLY | O_CLOEXEC)), input >= 0 else {
            throw ChildProcessError(code: errno)
        }
        defer { close(input) }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = -1
        let code = ralph_spawn(program, words, variables, directory, input, output, errors, &pid)
        guard code == 0 else { throw ChildProcessError(code: code) }
        // A courtesy: one that cannot be limited, or has ended already, is none the worse.
        if let descriptors { _ = ralph_limit_descriptors(pid, UInt64(descriptors)) }
        return pid
    }
}

/// Why a program was not started: an errno.
struct ChildProcessError: Error {
    let code: Int32

    /// Whether the program itself is the reason.
    var isAboutProgram: Bool { [ENOENT, EACCES, ENOEXEC, EISDIR, ENOTDIR, ELOOP, EPERM].contains(code) }
}
