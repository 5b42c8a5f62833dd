import Foundation
import Glibc

/// The server that began a demonstration. It holds a flock(2) on a file directly in the demonstration's root, so that
/// its end is known whatever ended it.
struct DemoOwner {
    /// The file.
    let lock: String
    /// What an agent is told it with.
    static let option = "--while-locked"
    /// The variable in which the server tells each of its runs the file: whatever agent a configuration names, the play
    /// is started.
    static let variable = "RALPH_STAND_IN_DEMO"
    /// What the name of a root begins with: nothing else is ever removed.
    private static let rootPrefix = "ralph-demo-"

    init(lock: String) { self.lock = lock }

    /// The owner that an agent of these arguments works for; `nil`: it is not for a demonstration.
    init?(agentArguments arguments: [String]) {
        guard let option = arguments.firstIndex(of: Self.option), option + 1 < arguments.endIndex else {
            return nil
        }
        lock = arguments[option + 1]
    }

    /// What the play is started with.
    var agentArguments: [String] { ["agent", "--demo", Self.option, lock] }

    /// Whether nobody holds the lock any more.
    var isGone: Bool {
        let descriptor = open(lock, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0
    }

    /// Ends the run that this agent works for and removes the root, as the server would have.
    func clear() {
        signal(SIGHUP, SIG_IGN)  // of the terminal that goes with the run
        // Who adopted an agent without a ralph is another program.
        if Self.program(of: getppid()) == Self.program(of: getpid()) { kill(getppid(), SIGKILL) }
        let root = (lock as NSString).deletingLastPathComponent
        guard (root as NSString).lastPathComponent.hasPrefix(Self.rootPrefix) else { return }
        // The server, or another run's agent, may be at it as well: each fails at what the other has just taken.
        for _ in 0..<3 where TextFile.exists(root) {
            try? FileManager.default.removeItem(atPath: root)  // a left-over temporary directory harms nobody
        }
    }

    private static func program(of pid: pid_t) -> String? {
        // It may be gone, and nobody's program is none of ours.
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe")
    }
}
