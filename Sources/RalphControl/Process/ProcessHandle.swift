import CRalphProcess
import Foundation
import RalphWire

/// Holds on to one process by its pidfd: signals go to it and to no other, and its end is seen for certain.
package final class ProcessHandle: Sendable {
    package let identity: ProcessIdentity
    private let descriptor: Int32

    /// The longest time between two looks of a wait.
    private static let longestPause = Duration.milliseconds(16)

    /// Opens the process of `identity`, also when it has ended and waits to be reaped.
    ///
    /// - Returns: `nil` when it is gone. The identity is checked behind pidfd_open(2), which only knows numbers.
    package init?(_ identity: ProcessIdentity) {
        var descriptor: Int32 = -1
        guard identity.pid > 0, ralph_pidfd_open(identity.pid, &descriptor) == 0 else { return nil }
        guard identity.status != nil else {
            close(descriptor)
            return nil
        }
        self.identity = identity
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the process has ended.
    package var isOver: Bool {
        var isOver = false
        return ralph_pidfd_is_over(descriptor, &isOver) == 0 && isOver
    }

    /// Sends signal `number` (signal(7)).
    ///
    /// - Returns: whether the process could be signalled: not when it has ended or is somebody else's.
    @discardableResult
    package func signal(_ number: Int32) -> Bool {
        !isOver && ralph_pidfd_send_signal(descriptor, number) == 0
    }

    /// Waits for the end of the process, of a child or any other; blocks no thread.
    ///
    /// - Returns: whether it has ended; `false` at `deadline`, or when the task is cancelled.
    package func waitForExit(until deadline: ContinuousClock.Instant) async -> Bool {
        var pause = Duration.milliseconds(1)
        while !isOver {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero, !Task.isCancelled else { return false }
            // Only a cancellation ends it early, and that is asked about above.
            try? await Task.sleep(for: min(pause, left))
            pause = min(pause * 2, Self.longestPause)
        }
        return true
    }

    /// How this child ended, and lets the system forget it.
    ///
    /// - Returns: `nil` while it runs, and for a process that is not our child; the second call finds it gone.
    package func reap() -> RunRecord.Exit? {
        var isOver = false
        var code: Int32 = -1
        var signal: Int32 = -1
        guard ralph_pidfd_reap(descriptor, &isOver, &code, &signal) == 0, isOver else { return nil }
        return RunRecord.Exit(
            code: code >= 0 ? code : nil, signal: signal >= 0 ? signal : nil,
            at: WallClock.milliseconds())
    }

    /// Whether the process has ended; the system forgets it then. One that cannot be reaped was reaped by somebody else.
    func isOverAndReaped() -> Bool {
        guard isOver else { return false }
        _ = reap()
        return true
    }
}
