import RalphControl
import RalphSessions
import RalphWire
import Synchronization

/// Where requests look at files that may lie on a file system that does not answer: nobody waits for it without end, and a
/// place that does not answer keeps nobody from another one.
///
/// A place is a path that who only watches cannot choose, or another word for what is looked at; what lies on one mount that
/// may not answer is one place. Few jobs are done at one place at once; while all of them have taken longer than anybody
/// waits, the place is silent, and no other is begun. What was begun is not broken off.
final class FileThreads: Sendable {
    private struct Place {
        let turns: WorkTurns
        /// Jobs that work or wait for their turn.
        var jobs = 0
        /// Until when each that works is waited for.
        var working: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    }

    private struct State {
        var places: [PathKey: Place] = [:]
        /// At all places together.
        var jobs = 0
    }

    /// What somebody waits for.
    private final class Job<Value: Sendable>: Sendable {
        /// `false`: it was not begun, and is not any more.
        let begun = Landing<Bool>()
        let result = Landing<Result<Value, any Error>?>()
    }

    /// Works at one job.
    private actor Worker {
        private let executor: BlockingExecutor

        init(_ threads: BlockingThreads) { executor = BlockingExecutor(threads: threads) }

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        func run<Value: Sendable>(_ work: @Sendable () throws -> Value) throws -> Value { try work() }
    }

    /// How long a request waits for its job where nothing else is said: well less than a client waits (http-contract 1.1).
    static let limit: Duration = .seconds(8)
    /// Places that ``map(_:_:)`` looks at at once.
    private static let width = 64
    /// Jobs at one place at once; further ones wait for their turn.
    static let turns = 4
    /// Jobs that have begun or wait, at all places together; further ones are refused.
    private static let maximumJobs = 1024
    /// Jobs that wait at one place.
    private static let maximumWaiting = 512

    private let threads: BlockingThreads
    private let mounts: SilentMounts
    private let silence: Duration
    private let maps = WorkTurns(places: 4, patience: limit, what: "lists", maximumWaiting: 64)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: threads at once, as far as so many jobs take long.
    ///   - silence: for how long a job works at least before its place counts as silent.
    init(most: Int, mounts: SilentMounts = SilentMounts(), silence: Duration = limit) {
        threads = BlockingThreads(most: most)
        self.mounts = mounts
        self.silence = silence
    }

    /// What `work` gives, which may block and changes nothing.
    ///
    /// - Parameters:
    ///   - kind: what is not to wait for other work at the same place.
    ///   - proof: so many jobs that have taken too long show that `place` is silent.
    /// - Throws: ``Problem`` 503 where `place` does not answer in time, or too many wait; and what `work` throws.
    func run<Value: Sendable>(
        at place: String, of kind: String = "", within limit: Duration = limit, proof: Int = turns,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let job = try begin(at: place, of: kind, within: limit, proof: proof, work)
        let result = await job.result.value(within: limit, otherwise: nil)
        // What comes too late is not begun.
        job.begun.settle(false)
        guard let result else { throw Problem.fileSystemSilent }
        return try result.get()
    }

    /// What `work` gives, which may block and changes something: once it is begun, what it comes to is waited for however long
    /// that takes, since no other answer would be true.
    ///
    /// - Throws: as ``run(at:of:within:_:)`` where `work` is not begun.
    func change<Value: Sendable>(
        at place: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let job = try begin(at: place, of: "", within: Self.limit, proof: Self.turns, work)
        let isBegun = await job.begun.value(within: Self.limit, otherwise: false)
        guard isBegun || job.result.isSettled, let result = await job.result.settled() else {
            throw Problem.fileSystemSilent
        }
        return try result.get()
    }

    private func begin<Value: Sendable>(
        at place: String, of kind: String, within limit: Duration, proof: Int,
        _ work: @escaping @Sendable () throws -> Value
    ) throws(Problem) -> Job<Value> {
        guard limit > .zero else { throw .fileSystemSilent }
        let key = PathKey(self.place(of: place) + "\u{0}" + kind)
        let turns = try enter(key, proof: proof)
        let job = Job<Value>()
        let silence = max(limit, silence)
        // Goes on beside the request where nothing answers, and keeps its turn until then.
        _ = Task<Void, Never> { [self] in
            let worker = Worker(threads)
            let result: Result<Value, any Error>
            do {
                let value = try await turns.run {
                    try await worker.run { [self] in
                        guard job.begun.settle(true) else { throw Problem.fileSystemSilent }
                        note(worker, at: key, until: .now + silence)
                        return try work()
                    }
                }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            end(worker, at: key)
            job.result.settle(result)
            job.begun.settle(false)
        }
        return job
    }

    /// What is one place with `path`.
    func place(of path: String) -> String { mounts.point(above: path) ?? path }

    /// What `work` gives of each of `places`, in their order, all within ``limit``: those that do not answer hold up no other.
    ///
    /// - Throws: ``Problem`` 503 where too many such lists are made.
    func map<Value: Sendable>(
        _ places: [String], _ work: @escaping @Sendable (_ place: String) throws -> Value
    ) async throws -> [Result<Value, any Error>] {
        try await maps.run { await mapInTurn(places, work) }
    }

    private func mapInTurn<Value: Sendable>(
        _ places: [String], _ work: @escaping @Sendable (_ place: String) throws -> Value
    ) async -> [Result<Value, any Error>] {
        let deadline = ContinuousClock.now + Self.limit
        return await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            var results = [Result<Value, any Error>?](repeating: nil, count: places.count)
            for (index, place) in places.enumerated() {
                if index >= Self.width, let (index, result) = await group.next() { results[index] = result }
                group.addTask { [self] in
                    do {
                        let limit = max(.zero, deadline - .now)
                        return (index, .success(try await run(at: place, within: limit) { try work(place) }))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            for await (index, result) in group { results[index] = result }
            return results.compactMap(\.self)
        }
    }

    private func enter(_ key: PathKey, proof: Int) throws(Problem) -> WorkTurns {
        let (turns, problem): (WorkTurns?, Problem?) = state.withLock { state in
            guard state.jobs < Self.maximumJobs else { return (nil, .workspaceBusy) }
            var place =
                state.places[key]
                ?? Place(
                    // Who waits for the turn gives up before, and says what is so: that the place does not answer.
                    turns: WorkTurns(
                        places: Self.turns, patience: Self.limit + .seconds(1), what: "looks at files",
                        maximumWaiting: Self.maximumWaiting))
            let now = ContinuousClock.now
            // One that is slow is no proof where others have their turn beside it.
            guard place.working.values.count(where: { $0 <= now }) < proof else {
                return (nil, .fileSystemSilent)
            }
            place.jobs += 1
            state.jobs += 1
            state.places[key] = place
            return (place.turns, nil)
        }
        guard let turns else { throw problem ?? .workspaceBusy }
        return turns
    }

    private func note(_ worker: Worker, at key: PathKey, until deadline: ContinuousClock.Instant) {
        state.withLock { $0.places[key]?.working[ObjectIdentifier(worker)] = deadline }
    }

    private func end(_ worker: Worker, at key: PathKey) {
        state.withLock { state in
            guard var place = state.places[key] else { return }
            place.working[ObjectIdentifier(worker)] = nil
            place.jobs -= 1
            state.jobs -= 1
            state.places[key] = place.jobs > 0 ? place : nil
        }
    }
}
