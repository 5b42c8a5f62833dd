import Logging
import NIOHTTP1
import NIOPosix
import RalphWire
import ServiceLifecycle
import Synchronization

/// Records who did what from where, in `audit.jsonl` of the state directory.
///
/// Noting costs a lock and never waits. What is noted waits in a bounded queue for a thread that writes; when the
/// queue is full, further entries are dropped, counted, and told as `audit.dropped` once there is room again.
/// A disk that takes nothing is asked again each second.
final class AuditLog: Service {
    /// Entries that wait to be written; further ones are dropped.
    static let capacity = 4096
    /// Entries written at once.
    static let batch = 512
    /// How often the disk is asked to have what was written, and counted repetitions are looked at.
    static let interval: Duration = .seconds(1)

    private struct State {
        var waiting: [AuditEntry] = []
        /// Dropped since that was last told.
        var untold = 0
        var refusals = AuditRepetitions.refusals
        var openings = AuditRepetitions.openings
        var nextSync = ContinuousClock.now
        var isFailing = false
    }

    /// Entries dropped, and attempts to write that failed.
    let dropped = Atomic<Int>(0)
    let failures = Atomic<Int>(0)

    private let rules: AuditRules
    private let threads: NIOThreadPool
    private let logger: Logger
    private let state = Mutex(State())
    /// Held while writing: nobody else asks for it but the next one who writes.
    private let file: Mutex<AuditFile>
    private let wakeUps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(file: AuditFile, rules: AuditRules, threads: NIOThreadPool, logger: Logger) {
        self.file = Mutex(file)
        self.rules = rules
        self.threads = threads
        self.logger = logger
    }

    /// Notes an answer to a request, if it is one that is recorded.
    ///
    /// - Parameter opensStream: the answer is a stream.
    func note(_ request: AuditRequest, status: UInt, opensStream: Bool) {
        let outcome = AuditEntry.Outcome(status: status)
        guard
            rules.isRecorded(request.method, route: request.route) || outcome == .refused
                || opensStream && !request.caller.isLocal
        else { return }
        var entry = entry(request)
        entry.outcome = outcome
        entry.status = status
        note(
            entry, opensStream: opensStream, isOpen: rules.isOpen(request.method, route: request.route))
    }

    /// Notes a request that is carried out while the server ends.
    func noteCutOff(_ request: AuditRequest) {
        var entry = entry(request)
        entry.outcome = .unknown
        note(entry)
    }

    private func entry(_ request: AuditRequest) -> AuditEntry {
        AuditEntry(
            rules.action(request.method, route: request.route), at: WallClock.milliseconds(),
            by: request.caller, target: rules.target(request.path, route: request.route))
    }

    /// Whether requests of this kind are recorded whatever becomes of them.
    func isRecorded(_ method: HTTPMethod, route: Int) -> Bool { rules.isRecorded(method, route: route) }

    /// Notes something that is no request, such as `device.paired`, or that the request does not tell.
    ///
    /// - Parameters:
    ///   - action: a word, or two with a dot; never what somebody sent.
    ///   - caller: who did it; `nil`: the server itself.
    ///   - target: an id; its first ``AuditEntry/maximumTargetBytes`` bytes are kept.
    func note(
        _ action: String, by caller: Caller? = nil, target: String? = nil,
        outcome: AuditEntry.Outcome = .ok
    ) {
        var entry = AuditEntry(action, at: WallClock.milliseconds(), by: caller, target: target)
        entry.outcome = outcome
        note(entry)
    }

    /// - Parameter isOpen: whether it is about a request that needs no right but to watch.
    private func note(_ entry: AuditEntry, opensStream: Bool = false, isOpen: Bool = false) {
        let isFirst = state.withLock { state in
            // What a stranger, or who may only watch, can bring about at will is gathered, or it would drive
            // everything else out.
            if opensStream, !state.openings.admits(entry) { return false }
            let isGathered =
                entry.outcome == .refused || entry.outcome == .rejected && isOpen
                || entry.outcome != .ok && entry.who == "nobody"
            if isGathered, entry.status != nil, !state.refusals.admits(entry) { return false }
            add(entry, to: &state)
            return state.waiting.count == 1
        }
        if isFirst { wakeUps.continuation.yield() }
    }

    /// Puts an entry into the queue, behind the word of those that were dropped before it.
    private func add(_ entry: AuditEntry, to state: inout State) {
        guard state.waiting.count + (state.untold > 0 ? 1 : 0) < Self.capacity else {
            state.untold += 1
            dropped.add(1, ordering: .relaxed)
            return
        }
        tellDropped(&state)
        state.waiting.append(entry)
    }

    private func tellDropped(_ state: inout State) {
        guard state.untold > 0 else { return }
        var entry = AuditEntry("audit.dropped", at: WallClock.milliseconds())
        entry.outcome = .failed
        entry.count = state.untold
        state.untold = 0
        state.waiting.append(entry)
    }

    // MARK: Writing

    /// Writes until the service is shut down; ``finish()`` writes what is left.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    // Cut short means shut down: there is nothing to wake up for.
                    while (try? await Task.sleep(for: Self.interval)) != nil {
                        // Whenever the last was: no line waits for longer than one interval.
                        state.withLock { $0.nextSync = .now }
                        wakeUps.continuation.yield()
                    }
                }
                for await _ in wakeUps.stream { await write(isLast: false) }
                group.cancelAll()
            }
        }
    }

    /// Writes all that is left, waits for the disk and closes the file. Nothing is noted after it.
    func finish() async { await write(isLast: true) }

    /// Writes what waits, on a thread of its own kind.
    private func write(isLast: Bool) async {
        let now = WallClock.milliseconds()
        state.withLock { state in
            let refusals = state.refusals.takeEnded(at: now, isLast: isLast)
            let openings = state.openings.takeEnded(at: now, isLast: isLast)
            for entry in refusals + openings { add(entry, to: &state) }
        }
        do {
            let isOnDisk =
                try await isLast
                ? writeLast() : threads.runIfActive { [self] in try writeWaiting(isLast: false) }
            if isOnDisk { noteSuccess() }
        } catch {
            noteFailure(error)
        }
    }

    /// Writes what waits, also in a task that was cancelled: the last words belong to the record.
    private func writeLast() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            threads.submit { [self] _ in
                continuation.resume(with: Result { try writeWaiting(isLast: true) })
            }
        }
    }

    /// Writes what waits; whether the disk has it all.
    private func writeWaiting(isLast: Bool) throws -> Bool {
        try file.withLock { file in
            defer { if isLast { file.close() } }
            while true {
                let entries = state.withLock { state in
                    if state.waiting.isEmpty { tellDropped(&state) }
                    return Array(state.waiting.prefix(Self.batch))
                }
                if entries.isEmpty { break }
                let written = try file.append(entries)
                state.withLock { $0.waiting.removeFirst(written) }
            }
            guard isLast || isSyncDue() else { return false }
            try file.synchronize()
            return true
        }
    }

    private func isSyncDue() -> Bool {
        state.withLock { state in
            guard state.nextSync <= .now else { return false }
            state.nextSync = .now + Self.interval
            return true
        }
    }

    private func noteSuccess() {
        let isBack = state.withLock { state in
            defer { state.isFailing = false }
            return state.isFailing
        }
        if isBack { logger.notice("The audit log is written again") }
    }

    private func noteFailure(_ error: any Error) {
        failures.add(1, ordering: .relaxed)
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        guard isNew else { return }
        logger.error(
            "The audit log cannot be written; it is tried again", metadata: ["error": "\(error)"])
    }
}
