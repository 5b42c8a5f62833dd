import Glibc

/// The signals that ask ralph to end. They are blocked and looked at, never handled: that is all that ralph's own
/// handlers amount to (contract 4.1).
enum Interrupt {
    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }

    /// From here on the signals are remembered instead of being deadly.
    static func arm() {
        var set = signals
        sigprocmask(SIG_BLOCK, &set, nil)
    }

    /// Whether one of them has come; it stays so.
    static var isRequested: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return [SIGTERM, SIGINT, SIGHUP].contains { sigismember(&pending, $0) == 1 }
    }

    /// What ralph does then: its whole process group gets SIGTERM, and 250 ms later SIGKILL, itself included.
    static func killOwnGroup() -> Never {
        killpg(getpgrp(), SIGTERM)
        usleep(250_000)
        killpg(getpgrp(), SIGKILL)
        while true { pause() }
    }

    /// Makes this process the leader of a group of its own, unless it is in the foreground of a terminal: then it
    /// stays with its caller, whom the end above hits too.
    static func leaveGroup() {
        for descriptor: Int32 in [0, 1] where isatty(descriptor) == 1 && tcgetpgrp(descriptor) == getpgrp() {
            return
        }
        setpgid(0, 0)
    }
}
