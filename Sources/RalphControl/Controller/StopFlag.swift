import Synchronization

/// Whether a stop waits or acts; asked from outside of the actor by a launch that waits.
final class StopFlag: Sendable {
    private struct State {
        /// Of each stop, by its number, whether it does not wait for the end of the iteration.
        var isForced: [Int: Bool] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    var isUp: Bool { state.withLock { !$0.isForced.isEmpty } }
    /// Whether one of them does not wait for the end of the iteration.
    var isForced: Bool { state.withLock { $0.isForced.values.contains(true) } }

    /// - Returns: the number with which it is lowered.
    func raise(force: Bool) -> Int {
        state.withLock { state in
            state.last += 1
            state.isForced[state.last] = force
            return state.last
        }
    }

    /// Lowers it for a stop; a second time that means nothing.
    func lower(_ stop: Int) { state.withLock { $0.isForced[stop] = nil } }
}
