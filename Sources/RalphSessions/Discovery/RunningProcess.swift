import Foundation

/// A process that is alive; zombies are not (contract 3).
package struct RunningProcess: Equatable {
    let pid: Int32
    /// How long after the system it started, milliseconds, about; `nil` if the system does not tell.
    let sinceBoot: Int64?
    /// Whether its command line names ralph; `nil` if the system does not tell.
    let isNamedRalph: Bool?

    /// The process of this number, if it is alive; one that the system hides counts as long as its number is taken.
    ///
    /// - Parameter place: where proc(5) is.
    package init?(pid: Int32, in place: String = "/proc") {
        guard pid > 0 else { return nil }
        self.pid = pid
        #if os(Linux)
        switch BoundedFile.findSystemFile("\(place)/\(pid)/stat", maximumBytes: 4096) {
        case .content(let stat):
            guard let status = ProcessStatus(stat: stat), !status.isOver else { return nil }
            sinceBoot = Int64(clamping: status.startTicks) * 1000 / Self.ticksPerSecond
            isNamedRalph = BoundedFile.readSystemFile("\(place)/\(pid)/cmdline", maximumBytes: 64 * 1024)
                .map { String(decoding: $0, as: UTF8.self).contains("ralph") }
        case .none, .unreadable:
            guard Self.exists(pid) else { return nil }
            sinceBoot = nil
            isNamedRalph = nil
        }
        #else
        guard Self.exists(pid) else { return nil }
        sinceBoot = nil
        isNamedRalph = nil
        #endif
    }

    /// When it started by the clock of now, milliseconds since 1970, about; `nil` if the system does not tell.
    var startedAt: Int64? { sinceBoot.map { Self.bootTime() + $0 } }

    /// Whether there is a process of this number, as a signal that is none finds out (kill(2)): all that can be known
    /// where no file can be opened. Zombies are there too.
    package static func exists(_ pid: Int32) -> Bool { kill(pid, 0) == 0 || errno == EPERM }

    /// Whether there is a process of this number that the system does not show (`hidepid`, proc(5)), and that may not be
    /// signalled: it is another user's.
    package static func isHidden(_ pid: Int32) -> Bool {
        if BoundedFile.readSystemFile("/proc/\(pid)/stat", maximumBytes: 4096) != nil { return false }
        return kill(pid, 0) != 0 && errno == EPERM
    }

    /// Where a process works; `nil` if the system does not tell.
    package static func directory(of pid: Int32) -> String? {
        // Of somebody else's process it does not (proc_pid_cwd(5)).
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
    }

    /// Whether this can be the process that was noted as started at `time` (milliseconds since 1970), and not
    /// one that got its number later: none has lived since before the system started. The name counts only where
    /// the times do not tell: this server's own holds the word as well.
    package func canHaveStarted(by time: Int64?) -> Bool {
        // The clock may have been set since this server began.
        let boot = min(Self.firstBootTime, Self.bootTime())
        if let time, boot + (sinceBoot ?? 0) > time + 5000 { return false }
        return sinceBoot != nil && time != nil || isNamedRalph ?? true
    }

    #if os(Linux)
    private static let ticksPerSecond = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))

    /// Milliseconds since 1970 by the clock of now, or of the first look; by the clocks, which need no file and so no
    /// descriptor.
    private static func bootTime() -> Int64 {
        var (now, up) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &up)
        return Int64(now.tv_sec - up.tv_sec) * 1000 + Int64(now.tv_nsec - up.tv_nsec) / 1_000_000
    }
    #else
    private static func bootTime() -> Int64 { .min }
    #endif

    private static let firstBootTime = bootTime()
}
