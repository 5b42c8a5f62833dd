/// One process and no other: a number alone may be anybody's after a while (design 6).
package struct ProcessIdentity: Sendable, Hashable, Codable {
    package let pid: Int32
    /// Clock ticks since boot, field 22 of `/proc/PID/stat` (proc(5)).
    package let startTicks: UInt64
    /// `/proc/sys/kernel/random/boot_id`: ticks of another boot mean nothing.
    package let bootID: String

    package init(pid: Int32, startTicks: UInt64, bootID: String) {
        self.pid = pid
        self.startTicks = startTicks
        self.bootID = bootID
    }
}
