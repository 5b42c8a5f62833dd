import Synchronization

/// Children of ours that nobody waits for any more and that have not ended: one that waits for a disk outlives a SIGKILL for as
/// long as that takes.
package enum LeftChildren {
    /// Further ones are reaped when this process ends.
    static let maximum = 256

    private static let handles = Mutex<[ProcessHandle]>([])

    static var count: Int { handles.withLock(\.count) }

    static func keep(_ handle: ProcessHandle) {
        handles.withLock { if $0.count < maximum { $0.append(handle) } }
    }

    /// Lets the system forget those that have ended; to be called now and then.
    package static func reap() {
        handles.withLock { $0.removeAll { $0.isOverAndReaped() } }
    }
}
