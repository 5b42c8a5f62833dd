import Synchronization

@testable import RalphServer

/// A clock that moves when a test says so.
final class TestClock: Sendable {
    private struct State {
        var now: Int64
        var sleepers: [(until: Int64, waiter: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    init(_ now: Int64 = 0) { state = Mutex(State(now: now)) }

    var now: Int64 { state.withLock { $0.now } }

    /// Moves to `time`, milliseconds since 1970, and wakes who waited for it.
    func move(to time: Int64) {
        let due = state.withLock { state in
            state.now = time
            let due = state.sleepers.filter { $0.until <= time }
            state.sleepers.removeAll { $0.until <= time }
            return due
        }
        for sleeper in due { sleeper.waiter.resume() }
    }

    var clock: DeadlineClock {
        DeadlineClock(
            now: { self.now },
            sleep: { until in
                await withTaskCancellationHandler {
                    await withCheckedContinuation { waiter in
                        let isDue = self.state.withLock { state in
                            if until <= state.now || Task.isCancelled { return true }
                            state.sleepers.append((until, waiter))
                            return false
                        }
                        if isDue { waiter.resume() }
                    }
                } onCancel: {
                    self.cancelAll()
                }
            })
    }

    /// One sleeper at a time is what the book has.
    private func cancelAll() {
        let all = state.withLock { state in
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in all { sleeper.waiter.resume() }
    }
}
