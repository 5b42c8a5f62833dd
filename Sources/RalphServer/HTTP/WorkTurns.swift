import RalphWire
import Synchronization

/// Lets a few requests of an expensive kind work at once, and some more wait for their turn.
final class WorkTurns: Sendable {
    private struct State {
        var free: Int
        var waiting: [Landing<Bool>] = []
    }

    /// Requests that wait at once where nothing else is said; further ones are refused.
    static let maximumWaiting = 16

    private let state: Mutex<State>
    private let patience: Duration
    private let what: String
    private let maximumWaiting: Int

    /// - Parameters:
    ///   - places: how many work at once.
    ///   - patience: how long one waits before it is refused.
    ///   - what: what they make, for the refusal.
    ///   - maximumWaiting: requests that wait at once; further ones are refused.
    init(places: Int, patience: Duration, what: String, maximumWaiting: Int = maximumWaiting) {
        state = Mutex(State(free: places))
        self.patience = patience
        self.what = what
        self.maximumWaiting = maximumWaiting
    }

    /// Runs `body` when it is its turn.
    ///
    /// - Throws: ``Problem`` 503 when the turn does not come in time, or too many wait already.
    func run<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await take()
        defer { give() }
        return try await body()
    }

    /// How many wait for their turn.
    var waiting: Int { state.withLock { $0.waiting.count } }

    private func take() async throws(Problem) {
        let landing = Landing<Bool>()
        let (isFree, mayWait) = state.withLock { state in
            if state.free > 0 {
                state.free -= 1
                return (true, true)
            }
            guard state.waiting.count < maximumWaiting else { return (false, false) }
            state.waiting.append(landing)
            return (false, true)
        }
        if isFree { return }
        guard mayWait else { throw .tooMany(what) }
        guard await landing.value(within: patience, otherwise: false) else {
            state.withLock { $0.waiting.removeAll { $0 === landing } }
            throw .tooMany(what)
        }
    }

    private func give() {
        while let next = nextWaiting() {
            // One whose patience has ended has heard so.
            if next.settle(true) { return }
        }
    }

    /// Who is next; `nil`: nobody waits, and the place is free.
    private func nextWaiting() -> Landing<Bool>? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
    }
}
