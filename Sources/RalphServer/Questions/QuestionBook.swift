import Logging
import RalphControl
import RalphWire
import ServiceLifecycle
import Synchronization

/// The questions of all runs to people (http-contract 9): durable, and each answered once whoever is first.
actor QuestionBook: Service {
    private let ports: QuestionPorts
    private let logger: Logger
    private let changes: ChangedSessions
    private var table = QuestionTable()
    /// Sessions whose files have been looked at since the start: only then is known what is still open.
    private var seen: Set<SessionID> = []
    /// Who waits for the answers that are on their way.
    private var waiters: [String: [Landing<Void>]] = [:]
    /// Who gave the answers that are held for their runs, the first of each first.
    private var requesters: [String: [Requester]] = [:]
    /// Events that could not be told, and questions that could not be stored.
    nonisolated let losses = Atomic(0)

    /// Takes the stored questions up.
    ///
    /// - Parameter changes: where the ingest thread says which sessions changed.
    init(ports: QuestionPorts, changes: ChangedSessions, logger: Logger) throws {
        self.ports = ports
        self.changes = changes
        self.logger = logger
        for question in try ports.load() { table.restore(question) }
    }

    /// Follows the sessions and the time until the service is shut down; sleeps while nothing is due.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await step()
                await changes.wait(until: table.nextMoment, by: ports.clock)
            }
        }
    }

    /// The open questions of all living sessions, oldest first.
    func list() -> [Question] {
        let now = ports.clock.now()
        return table.unanswered.filter { Self.hasTime($0, now) && ports.isLive($0.session) }
    }

    /// How many of ``list()`` are those of `session`.
    func pending(in session: SessionID) -> Int {
        let now = ports.clock.now()
        let open = table.openQuestions(of: session).count(where: { $0.isOpen && Self.hasTime($0, now) })
        return open > 0 && ports.isLive(session) ? open : 0
    }

    private static func hasTime(_ question: Question, _ now: Int64) -> Bool {
        question.isWaitAhead || (question.timeoutAt ?? .max) > now
    }

    /// The session of a question, open or not.
    func session(of id: String) -> SessionID? { table.questions[id]?.session }

    /// Looks at what changed and does what is due.
    func step() async {
        let now = ports.clock.now()
        var effects: [QuestionEffect] = []
        for session in changes.take().union(table.dropLooks(until: now)) {
            guard let facts = ports.facts(session, table.hasOpen(session)) else { continue }
            if facts.areRowsKnown { seen.insert(session) }
            effects += table.observe(session, facts, now: now)
        }
        effects += table.advance(now: now)
        await perform(effects, at: now)
        await deliverStored()
        for id in Array(waiters.keys) + requesters.keys
        where table.questions[id].map({ $0.reply == nil || $0.standing != .open }) ?? true {
            requesters[id] = nil
            for waiter in waiters.removeValue(forKey: id) ?? [] { waiter.settle(()) }
        }
    }

    /// Stores first and tells then; what fails is counted and goes on: the book itself is in memory.
    private func perform(_ effects: [QuestionEffect], at now: Int64) async {
        for case .save(let id) in effects {
            do { try save(id, at: now) } catch { noteLoss("A question cannot be stored", error) }
        }
        for case .tell(let session, let event) in effects {
            do {
                try await ports.tell(session, event, now)
            } catch {
                noteLoss("An event of a question cannot be told", error)
            }
        }
    }

    private func save(_ id: String, at now: Int64) throws {
        guard let question = table.questions[id] else { return }
        try ports.save(question, now)
    }

    private func noteLoss(_ what: Logger.Message, _ error: any Error) {
        losses.wrappingAdd(1, ordering: .relaxed)
        logger.warning(what, metadata: ["error": "\(LoggedError.text(error))"])
    }
}

// MARK: - Answers

extension QuestionBook {
    /// What became of an answer that was taken.
    struct Delivery: Sendable, Equatable {
        /// When the run was given it, or when it was stored: milliseconds since 1970.
        let at: Int64
        /// It is stored, and will be delivered when the run waits for it.
        let isPending: Bool
    }

    /// How long an answer that must wait for its run is waited for (http-contract 1.1).
    private static let patience: Duration = .seconds(20)
    /// Of those who give one held answer, further ones are not noted: it is nobody's to lose then.
    private static let maximumRequesters = 64

    /// Answers the question `id`; returns when the run has been given the answer, or soon if that takes long.
    ///
    /// The answer is stored before it is delivered. The same text again is no second answer: one that is held goes to its
    /// run as long as anybody who gave it still may.
    ///
    /// - Parameter patience: how long to wait for a run that does not wait yet.
    /// - Throws: ``QuestionError``, or what delivering threw.
    func answer(
        _ id: String, with text: String, by requester: Requester, patience: Duration = QuestionBook.patience
    ) async throws -> Delivery {
        let deadline = ContinuousClock.now + patience
        while true {
            let isLive = table.questions[id].map { ports.isLive($0.session) } ?? false
            let isHeld = table.questions[id]?.reply != nil
            switch table.claim(id, text, now: ports.clock.now(), isLive: isLive) {
            case .taken(let question):
                note(requester, of: id, isHeld: isHeld)
                return Delivery(at: try await deliver(question, text, isHeld: isHeld), isPending: false)
            case .held(let question):
                if !isHeld { try store(id) }
                note(requester, of: id, isHeld: isHeld)
                guard await waitForDelivery(of: id, until: deadline) else {
                    return Delivery(at: question.reply?.storedAt ?? ports.clock.now(), isPending: true)
                }
            case .pending:
                guard await waitForDelivery(of: id, until: deadline) else {
                    return Delivery(at: ports.clock.now(), isPending: true)
                }
            case .repeated(let deliveredAt): return Delivery(at: deliveredAt, isPending: false)
            case .unknown: throw QuestionError.unknown
            case .alreadyAnswered: throw QuestionError.alreadyAnswered
            case .expired(let standing): throw QuestionError.expired(standing)
            case .notFirst(let first): throw QuestionError.notFirst(first)
            }
        }
    }

    /// Whether something came of the answer before `deadline`.
    private func waitForDelivery(of id: String, until deadline: ContinuousClock.Instant) async -> Bool {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero, !Task.isCancelled else { return false }
        let landing = Landing<Void>()
        waiters[id, default: []].append(landing)
        await landing.value(within: left, otherwise: ())
        guard let index = waiters[id]?.firstIndex(where: { $0 === landing }) else { return true }
        waiters[id]?.remove(at: index)
        return false
    }

    /// - Parameter isHeld: whether the answer was held before. Where nobody is noted who gave it then, a restart left it.
    private func note(_ requester: Requester, of id: String, isHeld: Bool) {
        var known = requesters[id] ?? (isHeld ? [Self.somebody] : [])
        guard known.count <= Self.maximumRequesters, !known.contains(where: { $0.text == requester.text })
        else { return }
        known.append(known.count < Self.maximumRequesters ? requester : Self.somebody)
        requesters[id] = known
    }

    /// Whoever gave a held answer without being noted.
    private static let somebody = Requester.unrevocable("server")

    /// All who gave an answer as one, who may ask as long as one of them may: that is found out at the command's turn.
    private static func one(of givers: [Requester]) -> Requester {
        guard let first = givers.first(where: \.hasRight) ?? givers.first else { return somebody }
        return Requester(first.text) { givers.contains { $0.hasRight } }
    }

    /// Stores an answer that is new, or forgets it.
    private func store(_ id: String) throws(QuestionError) {
        do {
            try save(id, at: ports.clock.now())
        } catch {
            _ = table.release(id)  // what is stored is the question as it was
            throw .notStored("\(error)")
        }
    }

    /// - Parameter isHeld: whether the answer was held, and so is stored already.
    private func deliver(_ question: Question, _ text: String, isHeld: Bool) async throws -> Int64 {
        let id = question.id
        let requester = Self.one(of: requesters.removeValue(forKey: id) ?? [])
        defer { for waiter in waiters.removeValue(forKey: id) ?? [] { waiter.settle(()) } }
        if !isHeld { try store(id) }
        do {
            try await ports.deliver(question, text, requester)
        } catch {
            await perform(table.release(id), at: ports.clock.now())
            changes.signal()
            throw error
        }
        let now = ports.clock.now()
        await perform(table.noteDelivered(id, at: now), at: now)
        changes.signal()
        return now
    }

    /// Delivers what was held, or stored before a restart, and did not reach its run, if somebody still waits for it.
    private func deliverStored() async {
        for stored in table.deliverable where seen.contains(stored.session) {
            let isLive = ports.isLive(stored.session)
            guard let question = table.reclaim(stored.id, now: ports.clock.now(), isLive: isLive),
                let text = question.reply?.text
            else { continue }
            do {
                _ = try await deliver(question, text, isHeld: true)
            } catch {
                logger.warning(
                    "A stored answer cannot be delivered", metadata: ["error": "\(LoggedError.text(error))"])
            }
        }
    }
}
