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

    /// ``spawn(output:errors:)``, and a hold on the child.
    ///
    /// - Throws: ``ControlError/ralphMissing(_:)`` where the program is the reason, else
    ///   ``ControlError/failedToSpawn(_:)``.
    func start(output: Int32, errors: Int32) throws(ControlError) -> ProcessHandle {
        let pid: Int32
        do {
            pid = try spawn(output: output, errors: errors)
        } catch {
            let reason = "\(program): \(RunFiles.reason(error.code))"
            throw error.isAboutProgram ? .ralphMissing(reason) : .failedToSpawn(reason)
        }
        guard let identity = ProcessIdentity(child: pid), let handle = ProcessHandle(identity) else {
            throw .failedToSpawn("process \(pid) cannot be seen in /proc")
        }
        return handle
    }
}

/// Why a program was not started: an errno.
struct ChildProcessError: Error {
    let code: Int32

    /// Whether the program itself is the reason.
    var isAboutProgram: Bool { [ENOENT, EACCES, ENOEXEC, EISDIR, ENOTDIR, ELOOP, EPERM].contains(code) }
}
