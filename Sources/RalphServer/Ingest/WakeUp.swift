import Synchronization

/// Something that one task waits for and any thread gives: a wake-up that comes early is kept, one.
final class WakeUp: Sendable {
    private struct State {
        var isGiven = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    init() {}

    /// Ends the wait, or the next one.
    func give() {
        let waiter = state.withLock { state in
            if state.waiter == nil { state.isGiven = true }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Returns when a wake-up was given, or the task is cancelled. One task at a time may wait.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isGiven || Task.isCancelled {
                        state.isGiven = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            give()
        }
    }
}
