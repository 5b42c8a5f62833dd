import Dispatch
import Synchronization

/// Reads the system's locks on a thread of its own.
///
/// Whoever opens the list waits in the kernel for all processors, for milliseconds (`locks_start`, a grace period of RCU),
/// and the thread that reads events must not. One look at a time; the next one is asked for when it is over.
final class LockReader: Sendable {
    private enum State {
        case idle
        case reading
        case read(ProcessLocks?)
    }

    private let state = Mutex(State.idle)
    private let queue = DispatchQueue(label: "locks")

    /// Whether nothing was asked for that has not been taken.
    var isIdle: Bool { state.withLock { if case .idle = $0 { true } else { false } } }

    /// Looks at the locks, now or soon, and tells by `wakeup` when that is over; for one thread, while ``isIdle``.
    func ask(_ wakeup: WatchWakeup) {
        state.withLock { $0 = .reading }
        queue.async { [self] in
            let locks = ProcessLocks.current()
            state.withLock { $0 = .read(locks) }
            wakeup.signal()
        }
    }

    /// Hands the locks to `use` if they have been read since the last call.
    func take(_ use: (ProcessLocks?) -> Void) {
        let locks: ProcessLocks?? = state.withLock { state in
            guard case .read(let locks) = state else { return nil }
            state = .idle
            return .some(locks)
        }
        if let locks { use(locks) }
    }
}
