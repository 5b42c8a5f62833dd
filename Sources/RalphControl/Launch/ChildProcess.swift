import CRalphProcess
import Foundation
import RalphSessions

/// Starting a program that outlives this one: a session of its own, three descriptors, signals as in a shell.
struct ChildProcess {
    let program: String
    let arguments: [String]
    let environment: [String: String]
    /// Absolute and without links: every part of it is opened as what it is, so that one that was swapped for a
    /// link since it was checked leads nowhere.
    let directory: String
    /// What new files of it are not to be allowed (umask(2)).
    var mask = ControlSettings.ownerMask
    /// The soft limit on open descriptors that it begins with; `nil`: ours.
    var descriptors: Int?
    /// How much memory it may write to, bytes; `nil`: as much as we.
    var dataBytes: Int?

    /// - Parameters:
    ///   - output: opened for writing, above 2; stays open here.
    ///   - errors: likewise.
    /// - Returns: the child's number; it is ours to reap.
    /// - Throws: the errno of the step that failed; ``ChildProcessError/isAboutDirectory`` tells of which.
    func spawn(output: Int32, errors: Int32) throws(ChildProcessError) -> Int32 {
        guard let input = RunFiles.raised(open("/dev/null", O_RDONLY | O_CLOEXEC)), input >= 0 else {
            throw ChildProcessError(code: errno)
        }
        defer { close(input) }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = -1
        guard let folder = RunFiles.raised(DirectPath.openDirectory(directory)), folder >= 0 else {
            throw ChildProcessError(code: errno, isAboutDirectory: true)
        }
        defer { close(folder) }
        var place = ralph_place(
            directory: folder, input: input, output: output, errors: errors, mask: mask,
            data: UInt64(dataBytes ?? 0))
        let code = ralph_spawn(program, words, variables, &place, &pid)
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
            let reason = "\(error.isAboutDirectory ? directory : program): \(RunFiles.reason(error.code))"
            throw error.isAboutProgram ? .ralphMissing(reason) : .failedToSpawn(reason)
        }
        return try Self.hold(pid)
    }

    /// A hold on the child `pid`, which was not reaped yet.
    ///
    /// - Throws: ``ControlError/failedToSpawn(_:)`` where it cannot be looked at, as without a free descriptor; no
    ///   process is left then, since nobody would see its end.
    static func hold(_ pid: Int32) throws(ControlError) -> ProcessHandle {
        if let identity = ProcessIdentity(child: pid), let handle = ProcessHandle(identity) { return handle }
        end(pid)
        throw .failedToSpawn("process \(pid) cannot be seen in /proc")
    }

    /// Ends the child `pid` with its group and reaps it; needs no descriptor.
    static func end(_ pid: Int32) {
        var state = siginfo_t()
        // Once it is reaped, its number may be another's.
        guard waitid(P_PID, id_t(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 else { return }
        kill(-pid, SIGKILL)
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }
}

/// Why a program was not started: an errno.
struct ChildProcessError: Error {
    let code: Int32
    /// Whether the working directory is the reason: it is gone, or a link stands on the way to it.
    var isAboutDirectory = false

    /// Whether the program itself is the reason.
    var isAboutProgram: Bool {
        !isAboutDirectory && [ENOENT, EACCES, ENOEXEC, EISDIR, ENOTDIR, ELOOP, EPERM].contains(code)
    }
}
