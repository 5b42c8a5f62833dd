import Logging
import RalphControl
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// Merges and discards of loops, which `ralph loops` does: each runs to its end, however long its client waits.
///
/// When the server goes down they go on: breaking a merge off would leave it half done for good (contract 5.4).
final class LoopJobs: Service {
    /// What is done.
    enum Action: String, Sendable { case merge, discard }

    /// One job; no two for one loop at a time.
    struct Job: Sendable {
        let action: Action
        let loop: Loop
        let requester: Requester
        /// Looks right before the job begins whether the loop is still as it was; throws ``Problem`` if not.
        var check: @Sendable () async throws -> Void = {}
    }

    /// How a job ended.
    enum Outcome: Sendable, Equatable {
        case done
        /// It was taken up and is not over, or nobody knows whether it is: the queue tells how it goes on.
        case pending
        /// One line of what `ralph` said.
        case failed(String)
        /// The loop was no more to be merged or discarded when the job's turn came.
        case refused(Problem)
        case notStarted(ControlError)

        /// One word, without what `ralph` said.
        var word: String {
            switch self {
            case .done: "done"
            case .pending: "pending"
            case .failed: "failed"
            case .refused: "refused"
            case .notStarted: "not started"
            }
        }
    }

    private struct State {
        /// The place of each job that runs, 0 ..< ``capacity``; its output file is named by it.
        var places: [PathKey: Int] = [:]
    }

    /// Jobs that run at once; more are refused.
    static let capacity = 8
    /// How long a job may take before nobody waits for its end any more: a merge is a whole run of its own.
    private static let patience: Duration = .seconds(24 * 3600)
    /// How long a queue that cannot be read is tried again when its merge has ended.
    private static let queuePatience: Duration = .seconds(2)

    private let settings: ControlSettings
    private let worktrees: WorktreeClaims
    private let threads: FileThreads
    private let didEnd: @Sendable (Job, Outcome, _ wasAwaited: Bool) async -> Void
    private let logger: Logger
    private let state = Mutex(State())
    private let jobs = AsyncStream.makeStream(
        of: (Job, Landing<Outcome>).self, bufferingPolicy: .bufferingOldest(capacity))

    /// - Parameters:
    ///   - worktrees: what keeps runs from being started where a job is at work.
    ///   - threads: for looking at what came of a job.
    ///   - didEnd: told of the end of each job, and whether its outcome is the answer: else that was ``Outcome/pending``.
    init(
        settings: ControlSettings, worktrees: WorktreeClaims, threads: FileThreads, logger: Logger,
        didEnd: @escaping @Sendable (Job, Outcome, _ wasAwaited: Bool) async -> Void
    ) {
        self.settings = settings
        self.worktrees = worktrees
        self.threads = threads
        self.logger = logger
        self.didEnd = didEnd
    }

    /// Carries jobs out until the service is shut down.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for await (job, landing) in jobs.stream {
                    group.addTask { [self] in await perform(job, landing) }
                }
                group.cancelAll()
            }
        }
    }

    /// Takes a job up and waits for it.
    ///
    /// - Returns: ``Outcome/pending`` if it is not over after `limit`.
    /// - Throws: ``Problem`` 409 while another one for this loop runs, or a run is started in its worktree, 503 when too
    ///   many run, or its file system does not answer.
    func perform(_ job: Job, within limit: Duration) async throws(Problem) -> Outcome {
        let deadline = ContinuousClock.now + limit
        let used = (0..<Self.capacity).filter { ToolRun.isInUse(Self.output(at: $0, in: settings)) }
        let problem: Problem? = state.withLock { state in
            if state.places[Self.key(job)] != nil { return .loopBusy(job.loop.id) }
            let free = Set(0..<Self.capacity).subtracting(state.places.values)
            // A job of a former server keeps its output while there is another place.
            guard let place = free.subtracting(used).min() ?? free.min() else { return .tooManyLoopJobs }
            state.places[Self.key(job)] = place
            return nil
        }
        if let problem { throw problem }
        do throws(Problem) {
            try await worktrees.beginJob(job.loop, isMerge: job.action == .merge)
        } catch {
            releasePlace(of: job)
            throw error
        }
        let landing = Landing<Outcome>()
        guard case .enqueued = jobs.continuation.yield((job, landing)) else {
            finish(job)
            throw .tooManyLoopJobs
        }
        return await landing.value(within: max(.zero, deadline - .now), otherwise: .pending)
    }

    private func perform(_ job: Job, _ landing: Landing<Outcome>) async {
        let outcome = await outcome(of: job)
        finish(job)
        logger.info(
            "A loop's job ended",
            metadata: [
                "loop.id": "\(job.loop.id)", "loop.action": "\(job.action.rawValue)",
                "outcome": "\(outcome.word)",
            ])
        await didEnd(job, outcome, landing.settle(outcome))
    }

    /// What the job at `place` says.
    static func output(at place: Int, in settings: ControlSettings) -> String {
        "\(settings.runs)/loops-\(place).log"
    }

    private func outcome(of job: Job) async -> Outcome {
        guard let program = settings.presentRalph else {
            let name = settings.ralph ?? "ralph"
            return .notStarted(
                .ralphMissing("\(name) was not found on PATH; install it or name it with --ralph"))
        }
        let place = state.withLock { $0.places[Self.key(job)] ?? 0 }
        var tool = ToolRun(
            program: program,
            arguments: ["loops", job.action.rawValue, job.loop.id] + (job.action == .discard ? ["-y"] : []),
            directory: job.loop.workspace, environment: settings.ralphEnvironment,
            output: Self.output(at: place, in: settings))
        tool.mask = settings.mask
        // A merge is a run.
        tool.descriptors = settings.descriptors
        do { try await job.check() } catch { return .refused(Problem(any: error)) }
        do throws(ControlError) {
            try job.requester.requireRight()
            let ended = try await tool.run(until: .now + Self.patience)
            guard let exit = ended.exit else { return .pending }
            if exit.code == 0 { return await judge(job) }
            return .failed(ended.lastLine ?? "ralph ended with code \(exit.code ?? -1)")
        } catch {
            return .notStarted(error)
        }
    }

    /// What is there after `ralph` ended well. It removes the worktree of what it discards; what becomes of a merge the queue
    /// says, as it may have been left to somebody else.
    private func judge(_ job: Job) async -> Outcome {
        let last = ContinuousClock.now + Self.patience
        var deadline = ContinuousClock.now + Self.queuePatience
        while true {
            do {
                return try await look(job)
            } catch {
                // Whoever does not answer now may do so yet; what cannot be read tells nobody.
                if (error as? Problem)?.status == 503 {
                    deadline = min(last, ContinuousClock.now + Self.queuePatience)
                }
                guard ContinuousClock.now < deadline else { return .pending }
            }
            // Who is cancelled waits no longer.
            guard (try? await Task.sleep(for: .milliseconds(100))) != nil else { return .pending }
        }
    }

    private func look(_ job: Job) async throws -> Outcome {
        let (loop, threads) = (job.loop, threads)
        // Waited for also by who is cancelled: what came of the job is told.
        let looking = Task<Outcome, any Error> {
            try await threads.run(at: loop.workspace) {
                guard job.action == .discard else {
                    return Self.judge(job, try MergeQueue.load(SessionDirectory(workspace: loop.workspace)))
                }
                // A directory alone may have been made anew.
                let left = loop.places.first { !EntryStatus.isAbsent($0 + "/.git") }
                return left.map { .failed("ralph ended well, and the worktree \($0) is still there") }
                    ?? .done
            }
        }
        return try await looking.value
    }

    private static func judge(_ job: Job, _ queue: MergeQueue) -> Outcome {
        guard let item = queue[job.loop.id] else { return .done }
        switch item.state {
        case .merged: return .done
        case .merging where item.isLeft: return .failed(MergeQueueObject.leftReason(item, job.loop.workspace))
        case .queued, .merging: return .pending
        case .needsReview: return .failed(item.reason ?? "the loop needs review")
        case .discarded: return .failed("the loop was discarded")
        }
    }

    private func finish(_ job: Job) {
        worktrees.endJob(job.loop)
        releasePlace(of: job)
    }

    private func releasePlace(of job: Job) { state.withLock { $0.places[Self.key(job)] = nil } }

    private static func key(_ job: Job) -> PathKey { PathKey("\(job.loop.workspace)\u{0}\(job.loop.id)") }
}
