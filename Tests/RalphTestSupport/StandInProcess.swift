import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A process that a test has started: a group of its own, output in files, and its exit seen at once.
public final class StandInProcess {
    /// How a process ended.
    public enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    public let pid: Int32
    private let outputPath: String
    private let errorPath: String
    private var input: Int32
    private var exit: Exit?

    /// Starts `program`; its output goes to `files` + `.out` and `.err`.
    ///
    /// - Parameter hasInput: whether standard input is a pipe that ``closeInput()`` ends, instead of `/dev/null`.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String], directory: String,
        files: String, hasInput: Bool = false
    ) throws {
        outputPath = files + ".out"
        errorPath = files + ".err"
        var ends: [Int32] = [-1, -1]
        if hasInput, pipe(&ends) != 0 { throw ProcessStartError(description: "pipe: errno \(errno)") }
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { if ends[0] >= 0 { close(ends[0]) } }
        input = ends[1]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if hasInput {
            posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        // `env` changes the directory, which posix_spawn cannot do portably.
        let words = ["/usr/bin/env", "-C", directory, program] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var child: pid_t = 0
        let result = posix_spawn(&child, "/usr/bin/env", &actions, &attributes, &argv, &envp)
        guard result == 0 else { throw ProcessStartError(description: "\(program): errno \(result)") }
        pid = child
    }

    deinit {
        closeInput()
        if poll() == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    /// How it ended; `nil` while it runs. Reaps it.
    public func poll() -> Exit? {
        if let exit { return exit }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        exit = status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
        return exit
    }

    public var isRunning: Bool { poll() == nil }

    /// Whether it waits for a file that another program has locked (proc_locks(5)).
    public var waitsForLock: Bool {
        let table = String(
            decoding: FileManager.default.contents(atPath: "/proc/locks") ?? Data(), as: UTF8.self)
        return table.split(separator: "\n").contains { $0.contains("-> FLOCK") && $0.contains(" \(pid) ") }
    }

    /// Waits for its end.
    @discardableResult
    public func waitForExit(within limit: Duration = .seconds(20)) async throws -> Exit {
        var result: Exit?
        try await eventually(within: limit, "exit of \(pid)") {
            result = poll()
            return result != nil
        }
        return result ?? .code(-1)
    }

    /// Sends a signal to this process alone.
    public func signal(_ number: Int32) { if poll() == nil { kill(pid, number) } }

    /// Writes to its standard input, if that is a pipe.
    public func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        if input >= 0 { _ = write(input, bytes, bytes.count) }
    }

    /// Ends its standard input.
    public func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// What it has written to standard output so far.
    public var output: String { Self.text(outputPath) }
    /// What it has written to standard error so far.
    public var errors: String { Self.text(errorPath) }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

/// A process could not be started.
public struct ProcessStartError: Error, CustomStringConvertible {
    public let description: String
}
