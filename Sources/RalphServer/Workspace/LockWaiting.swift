import RalphSessions
import RalphWire
import Synchronization

/// Waits for a lock that somebody else holds without a thread that waits: it tries, rests, and tries again.
final class LockWaiting: Sendable {
    /// How it rests and for how long; tests bring their own.
    struct Pace: Sendable {
        /// From the first try on; an answer that says so comes well before a client gives up
        /// (http-contract 1.1).
        var limit: Duration = .seconds(8)
        /// Between two tries; up to half as much more, so that those who wait do not march in step.
        var rest: Duration = .milliseconds(10)
        var now: @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    }

    /// Requests that read, write or wait at once; each may hold a body of 8 MiB. More are refused.
    static let capacity = 64

    /// Who reads at one place.
    private struct Place {
        let turns = LockWaiting.turns(readsOfPlace)
        var count = 0
    }

    /// Reads at once: each may have a file of 64 MiB in memory.
    private static let reads = 4
    /// Of these at one place: one that does not answer leaves some to others.
    private static let readsOfPlace = 2
    /// For a turn at the place, and then for one of all; with the reading less than a client waits (http-contract 1.1).
    private static let patience: Duration = .seconds(4)

    private let pace: Pace
    private let threads: FileThreads
    private let turns = turns(reads)
    private let places = Mutex<[PathKey: Place]>([:])
    private let count = Mutex(0)

    init(threads: FileThreads, pace: Pace = Pace()) {
        self.threads = threads
        self.pace = pace
    }

    /// What `attempt` gives once it is not `nil`.
    ///
    /// - Parameters:
    ///   - place: the workspace that the lock is in.
    ///   - problem: what to say when the time is over.
    ///   - isChange: whether `attempt` changes anything.
    ///   - attempt: runs on a thread that may block for a moment; `nil`: the lock is held.
    /// - Throws: ``Problem`` 503 when too many wait, and what `attempt` and ``FileThreads`` throw.
    func value<Value: Sendable>(
        at place: String, otherwise problem: Problem, isChange: Bool = false,
        _ attempt: @escaping @Sendable () throws -> Value?
    ) async throws -> Value {
        guard
            count.withLock({ count in
                guard count < Self.capacity else { return false }
                count += 1
                return true
            })
        else { throw Problem.workspaceBusy }
        defer { count.withLock { $0 -= 1 } }
        let deadline = pace.now() + pace.limit
        while true {
            if let value = try await tryOnce(at: place, isChange, attempt) { return value }
            guard pace.now() < deadline else { throw problem }
            try await pace.sleep(pace.rest * Double.random(in: 1...1.5))
        }
    }

    private func tryOnce<Value: Sendable>(
        at place: String, _ isChange: Bool, _ attempt: @escaping @Sendable () throws -> Value?
    ) async throws -> Value? {
        // Once begun it has no end of its own, and would keep its turn from others.
        if isChange { return try await threads.change(at: place, attempt) }
        return try await inTurn(at: place) { try await threads.run(at: place, attempt) }
    }

    private func inTurn<Value: Sendable>(
        at place: String, _ read: () async throws -> Value
    ) async throws -> Value {
        let key = PathKey(threads.place(of: place))
        let ofPlace = places.withLock { places in
            places[key, default: Place()].count += 1
            return places[key]?.turns ?? turns
        }
        defer {
            places.withLock { places in
                places[key]?.count -= 1
                if places[key]?.count == 0 { places[key] = nil }
            }
        }
        return try await ofPlace.run { try await turns.run(read) }
    }

    private static func turns(_ count: Int) -> WorkTurns {
        WorkTurns(
            places: count, patience: patience, what: "looks at tasks or memories",
            maximumWaiting: capacity)
    }
}
