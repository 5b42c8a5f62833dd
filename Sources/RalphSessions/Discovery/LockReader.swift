import Dispatch
import Synchronization

/// Reads the system's locks beside the thread that reads events.
///
/// Whoever reads the list waits in the kernel for all processors, for milliseconds (`locks_start`, a grace period of RCU).
/// One look at a time; when it is over and taken, the next one can be asked for.
final class LockReader: Sendable {
    /// What a look came to.
    struct Look {
        /// `nil` where the system does not list them.
        let locks: ProcessLocks?
    }

    private enum State {
        case idle
        case looking
        case done(Look)
    }

    private let state = Mutex(State.idle)
    private let queue = DispatchQueue(label: "locks")

    /// Begins a look, whose end `wakeup` tells.
    ///
    /// - Returns: `false`: the last one has not been taken yet.
    func ask(_ wakeup: WatchWakeup) -> Bool {
        let begins = state.withLock { state in
            guard case .idle = state else { return false }
            state = .looking
            return true
        }
        guard begins else { return false }
        queue.async { [self] in
            let look = Look(locks: ProcessLocks.current())
            state.withLock { $0 = .done(look) }
            wakeup.signal()
        }
        return true
    }

    /// What was seen, once; `nil` if nothing was asked for, and while a look goes on.
    func take() -> Look? {
        state.withLock { state in
            guard case .done(let look) = state else { return nil }
            state = .idle
            return look
        }
    }
}
