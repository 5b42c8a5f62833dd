import Logging
import NIOCore
import NIOPosix
import RalphWire
import ServiceLifecycle
import Synchronization

/// Looks at the machine while somebody wants to know, and not at all otherwise (http-contract 6).
///
/// The first request after a pause waits for two looks shortly after each other; from then on there is one each
/// ``Pace/interval``, and requests get the answers of the last one, encoded already, until nobody has asked for
/// ``Pace/patience``.
final class HostSampler: Service {
    /// How often it looks.
    struct Pace: Sendable {
        /// Between two looks.
        var interval: Duration = .seconds(2)
        /// Between the first two: long enough for ticks to be counted, short enough to wait for.
        var warmUp: Duration = .milliseconds(150)
        /// How long after the last request it goes on.
        var patience: Duration = .seconds(30)
        /// How long a request waits for the first looks, or for one that is late.
        var deadline: Duration = .seconds(5)
    }

    /// The bodies of both answers.
    struct Answers: Sendable {
        let metrics: ByteBuffer
        let processes: ByteBuffer
    }

    private enum Outcome: Sendable {
        case answers(Answers)
        case failed(String)
    }

    private struct State {
        var lastAsked: ContinuousClock.Instant?
        /// What the last look came to, and when; `nil` while it sleeps.
        var current: (outcome: Outcome, time: ContinuousClock.Instant)?
        var waiting: [Landing<Outcome>] = []
        var hasEnded = false
    }

    /// Requests that wait for the first looks; further ones are refused.
    static let maximumWaiting = 256

    private let files: HostFiles
    private let owners: ProcessOwners
    private let pace: Pace
    private let threads: NIOThreadPool
    private let logger: Logger
    private let state = Mutex(State())
    private let wakeUp = WakeUp()
    /// Looks since the start.
    let looks = Atomic<Int>(0)

    init(
        files: HostFiles, owners: ProcessOwners, pace: Pace = Pace(), threads: NIOThreadPool, logger: Logger
    ) {
        self.files = files
        self.owners = owners
        self.pace = pace
        self.threads = threads
        self.logger = logger
    }

    /// Whether nobody has asked lately.
    var isAsleep: Bool { state.withLock { $0.current == nil && $0.waiting.isEmpty } }

    /// The answers of the last look.
    ///
    /// - Throws: ``Problem`` 500 `metrics_unavailable` where the system does not tell, 503 when too many wait.
    func answers() async throws(Problem) -> Answers {
        let landing = Landing<Outcome>()
        let known = try outcome(orWaitWith: landing)
        let outcome = if let known { known } else { await awaited(landing) }
        switch outcome {
        case .answers(let answers): return answers
        case .failed(let why): throw .metricsUnavailable(why)
        }
    }

    /// Looks when asked to, until the service is shut down.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await wakeUp.wait()
                // A wake-up may be left over from requests that were served while it looked.
                if !Task.isCancelled, isAwaited { await look() }
            }
        }
        let waiting = state.withLock { state in
            state.hasEnded = true
            state.current = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for landing in waiting { landing.settle(.failed("the server is shutting down")) }
    }

    private var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    private func outcome(orWaitWith landing: Landing<Outcome>) throws(Problem) -> Outcome? {
        try state.withLock { state throws(Problem) in
            state.lastAsked = .now
            // An older one is of a machine on which the looks hang, as in a file system that does not answer.
            if let current = state.current,
                current.time.duration(to: .now) <= pace.interval + pace.deadline
            {
                return current.outcome
            }
            guard !state.hasEnded else { return .failed("the server is shutting down") }
            guard state.waiting.count < Self.maximumWaiting else { throw .tooManyWait }
            state.waiting.append(landing)
            return nil
        }
    }

    private func awaited(_ landing: Landing<Outcome>) async -> Outcome {
        wakeUp.give()
        let outcome = await landing.value(
            within: pace.deadline, otherwise: .failed("the system did not answer in time"))
        state.withLock { state in state.waiting.removeAll { $0 === landing } }
        return outcome
    }

    /// Looks until nobody has asked for a while.
    private func look() async {
        var last = await sample()
        var rest = pace.warmUp
        repeat {
            try? await Task.sleep(for: rest)  // cancelled: the loop ends
            if Task.isCancelled { return }
            let next = await sample()
            publish(last, next)
            last = next
            rest = pace.interval
        } while isWanted()
    }

    private func sample() async -> HostSample? {
        looks.add(1, ordering: .relaxed)
        do {
            return try await threads.runIfActive { [files] in HostSample(files) }
        } catch {
            return nil  // the threads are gone, and soon we are too
        }
    }

    private func publish(_ old: HostSample?, _ new: HostSample?) {
        let outcome = outcome(old, new)
        let waiting = state.withLock { state in
            state.current = (outcome: outcome, time: ContinuousClock.now)
            defer { state.waiting = [] }
            return state.waiting
        }
        for landing in waiting { landing.settle(outcome) }
    }

    private func outcome(_ old: HostSample?, _ new: HostSample?) -> Outcome {
        guard let old, let new, new.isReadable else { return .failed("\(files.proc) cannot be read") }
        do {
            let processes = HostProcesses(old, new, owners: owners.all())
            return .answers(
                Answers(
                    metrics: ByteBuffer(bytes: try JSONResponse.text(HostMetrics(old, new))),
                    processes: ByteBuffer(bytes: try JSONResponse.text(processes))))
        } catch {
            logger.error(
                "Figures of the machine cannot be encoded", metadata: ["error": "\(LoggedError.text(error))"])
            return .failed("not encodable")
        }
    }

    /// Whether to look again; if not, what is known is dropped, since it would be old when somebody asks.
    private func isWanted() -> Bool {
        state.withLock { state in
            if let lastAsked = state.lastAsked, .now - lastAsked < pace.patience { return true }
            state.current = nil
            return false
        }
    }
}

extension Problem {
    /// Nothing of the machine can be read (http-contract 6).
    static func metricsUnavailable(_ why: String) -> Problem {
        Problem(status: 500, error: "metrics_unavailable: \(oneLine(why))", code: .internalError)
    }

    fileprivate static let tooManyWait = Problem(
        status: 503, error: "busy", code: .unavailable,
        details: "As many requests as may wait for the figures are waiting.", retryAfter: 1)
}
