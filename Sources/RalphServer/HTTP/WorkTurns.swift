import RalphWire
import Synchronization

/// Lets a few requests of an expensive kind work at once, and some more wait for their turn.
final class WorkTurns: Sendable {
    private struct State {
        var free: [Int]
        var waiting: [Landing<Bool>] = []
        /// Places that were given to those who waited and have not taken them yet.
        var given: [ObjectIdentifier: Int] = [:]
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
        state = Mutex(State(free: Array(0..<places)))
        self.patience = patience
        self.what = what
        self.maximumWaiting = maximumWaiting
    }

    /// Runs `body` when it is its turn, with the number of its place, which nobody else has meanwhile.
    ///
    /// - Throws: ``Problem`` 503 when the turn does not come in time, or too many wait already.
    func run<Value: Sendable>(_ body: (Int) async throws -> Value) async throws -> Value {
        let place = try await take()
        defer { give(place) }
        return try await body(place)
    }

    private func take() async throws(Problem) -> Int {
        let landing = Landing<Bool>()
        let (free, mayWait): (Int?, Bool) = state.withLock { state in
            if let place = state.free.popLast() { return (place, true) }
            guard state.waiting.count < maximumWaiting else { return (nil, false) }
            state.waiting.append(landing)
            return (nil, true)
        }
        if let free { return free }
        guard mayWait else { throw .tooMany(what) }
        _ = await landing.value(within: patience, otherwise: false)
        // A place may have come in the moment in which patience ended.
        let place: Int? = state.withLock { state in
            state.waiting.removeAll { $0 === landing }
            return state.given.removeValue(forKey: ObjectIdentifier(landing))
        }
        guard let place else { throw .tooMany(what) }
        return place
    }

    private func give(_ place: Int) {
        let next: Landing<Bool>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(place)
                return nil
            }
            let next = state.waiting.removeFirst()
            state.given[ObjectIdentifier(next)] = place
            return next
        }
        next?.settle(true)
    }
}
