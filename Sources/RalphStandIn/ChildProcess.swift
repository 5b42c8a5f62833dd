import Foundation
import Glibc

/// A process that this one has started.
struct ChildProcess {
    /// Where a child belongs, which decides who dies with ralph (contract 4.1).
    enum Place {
        /// Ralph's own group: hooks and git.
        case group
        /// A group of its own: a headless agent, which outlives a killed ralph.
        case ownGroup
        /// A session of its own on the pseudo terminal at this path: an agent of `--rpc`, which a hang-up ends.
        case session(terminal: String)
    }

    /// Standard input, output and error of a child; `nil` is `/dev/null`.
    struct Descriptors {
        var input: Int32?
        var output: Int32?
        var error: Int32?
    }

    /// Not reaped until ``status()`` or ``wait()`` has seen its end.
    let pid: pid_t

    /// Starts a program that is looked for on `PATH`.
    init(
        _ arguments: [String], environment: [String: String], directory: String, place: Place,
        descriptors: Descriptors
    ) throws(StandInError) {
        guard !arguments.contains(where: { $0.utf8.contains(0) }) else {
            throw .failure("failed to start '\(arguments[0])': nul byte found in provided data")
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.add(descriptors, place, to: &actions)
        var attributes = Self.attributes(place)
        defer { posix_spawnattr_destroy(&attributes) }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (words + variables).forEach { free($0) } }
        guard access(directory, X_OK) == 0, Self.add(directory: directory, to: &actions) else {
            throw .failure("No such directory: \(directory)")
        }
        var child: pid_t = 0
        let result = posix_spawnp(&child, words[0] ?? strdup(""), &actions, &attributes, &words, &variables)
        guard result == 0 else {
            throw .failure("failed to start '\(arguments[0])': \(String(cString: strerror(result)))")
        }
        pid = child
    }

    /// The status of a child that has ended; `nil` while it runs.
    func status() -> Int32? {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) == pid ? status : nil
    }

    /// Waits for the end.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    /// Has the child begin in `directory`; ralph itself never leaves its own (contract 5.1).
    private static func add(directory: String, to actions: inout posix_spawn_file_actions_t) -> Bool {
        #if canImport(Darwin)
        return posix_spawn_file_actions_addchdir_np(&actions, directory) == 0
        #else
        // In the C library (glibc 2.29), and not in the module.
        typealias Add =
            @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addchdir_np") else {
            return false
        }
        return unsafeBitCast(symbol, to: Add.self)(&actions, directory) == 0
        #endif
    }

    private static func add(
        _ descriptors: Descriptors, _ place: Place, to actions: inout posix_spawn_file_actions_t
    ) {
        if case .session(let terminal) = place {
            // Opened by a session leader: it becomes the controlling terminal.
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
            if let input = descriptors.input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
            return
        }
        for (number, descriptor) in [descriptors.input, descriptors.output, descriptors.error].enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
    }

    private static func attributes(_ place: Place) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        sigaddset(&defaults, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        switch place {
        case .group: break
        case .ownGroup:
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= Int32(POSIX_SPAWN_SETPGROUP)
        case .session:
            flags |= 0x80  // POSIX_SPAWN_SETSID, which the module leaves out
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    /// Whether a wait status says "exited with 0".
    static func isSuccess(_ status: Int32) -> Bool { status == 0 }

    /// The exit status as a shell tells it: 128 + number for a signal.
    static func code(_ status: Int32) -> Int32 {
        status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }
}
