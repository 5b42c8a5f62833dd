import Logging
import RalphControl
import RalphWire
import ServiceLifecycle
import Synchronization

/// The questions of all runs to people (http-contract 9): durable, and each answered once whoever is first.
actor QuestionBook: Service {
    let ports: QuestionPorts
    let logger: Logger
    private let changes: ChangedSessions
    var table = QuestionTable() {
        didSet { publish() }
    }
    /// What ``table`` holds unanswered, oldest first: whoever asks for it does not wait for the book.
    private nonisolated let unanswered = Mutex<[Question]>([])
    /// Sessions whose files have been looked at since the start: only then is known what is still open.
    var seen: Set<SessionID> = []
    /// Sessions whose files were not known at the last look, as on a file system that does not answer.
    var silent: Set<SessionID> = []
    var underWay = QuestionReads()
    /// Who waits for the answers that are on their way.
    private var waiters: [String: [Landing<Void>]] = [:]
    /// Who gave the answers that are held for their runs, or on their way, the first of each first since the start.
    private var requesters: [String: [Requester]] = [:]
    /// Questions whose state of now is not stored.
    var unsaved: Set<String> = []
    /// Whether every session has been read since the start.
    private(set) var isScanOver: Bool
    /// Until when time takes no question, because its answer may lie in a file that could not be read or stored,
    /// milliseconds since 1970; `Int64.max`: not known. `nil`: nothing is held up.
    var heldUntil: Int64?
    /// How long after the store takes rows again the rows may take that were kept back, milliseconds.
    static let catchingUp: Int64 = 3000
    /// How long until what waits for the store is tried again, milliseconds.
    private static let retryPause: Int64 = 1000
    /// Events that could not be told, and questions that could not be stored.
    nonisolated let losses = Atomic(0)

    /// Takes the stored questions up.
    ///
    /// - Parameter changes: where the ingest thread says which sessions changed.
    init(ports: QuestionPorts, changes: ChangedSessions, logger: Logger) throws {
        self.ports = ports
        self.changes = changes
        self.logger = logger
        isScanOver = ports.waitForFirstScan == nil
        heldUntil = isScanOver ? nil : .max
        for question in try ports.load() { table.restore(question) }
        unanswered.withLock { [table] in $0 = table.unanswered }  // nothing is observed in here
    }

    /// Follows the sessions and the time until the service is shut down; sleeps while nothing is due.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { await self.awaitFirstScan() }
                while !Task.isCancelled {
                    // A run may be long in taking its answer, which is nobody else's to wait for.
                    for held in await advance() { group.addTask { await self.deliver(held) } }
                    await changes.wait(until: nextMoment, by: ports.clock)
                }
            }
        }
        saveAgain(at: ports.clock.now())
    }

    private func awaitFirstScan() async {
        guard await ports.waitForFirstScan?() ?? true, !Task.isCancelled else { return }
        isScanOver = true
        changes.signal()
    }

    /// Whether time takes no question at present.
    var isHeldUp: Bool { heldUntil != nil }

    private var nextMoment: Int64? {
        let now = ports.clock.now()
        let isWaiting = !table.openSessions.isEmpty || !table.looks.isEmpty
        let retry = heldUntil != nil && isWaiting || !unsaved.isEmpty
        let next = heldUntil == nil ? table.nextMoment(after: now, besides: silent) : nil
        return retry ? min(next ?? .max, now + Self.retryPause) : next
    }

    /// The open questions of all living sessions, oldest first.
    nonisolated func list() -> [Question] {
        let now = ports.clock.now()
        return unanswered.withLock(\.self).filter { $0.hasTime(at: now) && ports.isLive($0.session) }
    }

    /// How many of ``list()`` are those of `session`.
    nonisolated func pending(in session: SessionID) -> Int {
        let now = ports.clock.now()
        let open = unanswered.withLock { questions in
            questions.count { $0.session == session && $0.hasTime(at: now) }
        }
        return open > 0 && ports.isLive(session) ? open : 0
    }

    private func publish() {
        let questions = table.unanswered
        unanswered.withLock { $0 = questions }
    }

    /// The session of a question, open or not.
    func session(of id: String) -> SessionID? { table.questions[id]?.session }

    /// Looks at what changed and does what is due.
    ///
    /// - Returns: answers that are to be delivered now; nobody else delivers them.
    func advance() async -> [Held] {
        let began = ports.clock.now()
        var sessions = changes.take().union(table.dropLooks(until: began))
        sessions.formUnion(table.sessionsToRetry(at: began))
        // What the files say goes before what the time does.
        let isCaughtUp = hasCaughtUp(at: began)
        if isCaughtUp { sessions.formUnion(table.openSessions) }
        let reads = await readFiles(of: sessions)
        let now = ports.clock.now()
        var effects = dropRevoked()
        if !ports.canStore() { heldUntil = .max } else if isCaughtUp { heldUntil = nil }
        for read in reads { effects += look(read, now: now) }
        if heldUntil == nil { effects += table.advance(now: began, besides: silent) }
        saveAgain(at: now)
        await perform(effects, at: now)
        let held = claimStored(behind: sessions)
        for id in Array(waiters.keys) + requesters.keys
        where table.questions[id].map({ $0.reply == nil || $0.standing != .open }) ?? true {
            requesters[id] = nil
            settle(id)
        }
        return held
    }

    /// Lets those go on who wait for the answer to the question `id`.
    private func settle(_ id: String) {
        for waiter in waiters.removeValue(forKey: id) ?? [] { waiter.settle(()) }
    }
}

// MARK: - Answers

extension QuestionBook {
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
            await bringUpToDate(id)
            let session = table.questions[id]?.session
            let isLive = session.map(ports.isLive) ?? false
            let isHeldUp = self.isHeldUp || session.map(silent.contains) == true
            let isHeld = table.questions[id]?.reply != nil
            // One that was dropped is not taken up again.
            guard isHeld || requester.hasRight else { throw Problem.unauthorized }
            switch table.claim(id, text, now: ports.clock.now(), isLive: isLive, isHeldUp: isHeldUp) {
            case .taken(let question):
                await note(requester, of: id, isHeld: isHeld)
                guard let time = try await deliver(question, text, isHeld: isHeld) else { continue }
                return Delivery(at: time, isPending: false)
            case .held(let question):
                await note(requester, of: id, isHeld: isHeld)
                if !isHeld { try store(id) }
                guard await waitForDelivery(of: id, until: deadline) else {
                    return Delivery(at: question.reply?.storedAt ?? ports.clock.now(), isPending: true)
                }
            case .pending:
                await note(requester, of: id, isHeld: true)
                guard await waitForDelivery(of: id, until: deadline) else {
                    return Delivery(at: ports.clock.now(), isPending: true)
                }
            case .repeated(let deliveredAt): return Delivery(at: deliveredAt, isPending: false)
            case .refused(let error): throw error
            }
        }
    }

    /// Finds out what may have changed for the question `id` since the last look: its run may still wait, or have given up,
    /// and whoever gave a held answer may have been revoked.
    private func bringUpToDate(_ id: String) async {
        var due: Set<SessionID> = []
        if let question = table.questions[id], question.standing == .open,
            question.isDue(at: ports.clock.now())
        {
            due.insert(question.session)
        }
        let reads = await readFiles(of: due)
        let now = ports.clock.now()
        var effects = dropRevoked()
        for read in reads { effects += look(read, now: now) }
        guard !reads.isEmpty || !effects.isEmpty else { return }
        await perform(effects, at: now)
        changes.signal()
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

    /// - Parameter isHeld: whether the answer was held before, and so is stored without `requester`.
    private func note(_ requester: Requester, of id: String, isHeld: Bool) async {
        var known = isHeld ? givers(of: id) : []
        let name = requester.device ?? requester.text
        guard known.count <= Self.maximumRequesters,
            !known.contains(where: { ($0.device ?? $0.text) == name })
        else { return }
        known.append(known.count < Self.maximumRequesters ? requester : Requester.somebody)
        requesters[id] = known
        let effects = table.noteGivers(known.map(\.device), of: id)
        guard isHeld, !effects.isEmpty else { return }
        await perform(effects, at: ports.clock.now())
        if unsaved.contains(id) { changes.signal() }  // it is tried again
    }

    /// Who gave the held answer to the question `id`; behind a restart, the devices that are stored with it.
    private func givers(of id: String) -> [Requester] {
        requesters[id] ?? table.questions[id]?.reply?.devices?.map(ports.requester) ?? [Requester.somebody]
    }

    /// Somebody may ask for nothing any more: what of theirs is held is looked at soon.
    nonisolated func noteRevocation() { changes.signal() }

    /// Drops held answers of which nothing was written and nobody who gave them may ask any more: their questions are open
    /// again.
    private func dropRevoked() -> [QuestionEffect] {
        var effects: [QuestionEffect] = []
        for question in table.unwritten where !givers(of: question.id).contains(where: \.hasRight) {
            effects += table.release(question.id)
            requesters[question.id] = nil
            settle(question.id)
        }
        return effects
    }

    /// Stores an answer that is new, or forgets it.
    private func store(_ id: String) throws(QuestionError) {
        do {
            try save(id, at: ports.clock.now())
        } catch {
            _ = table.release(id)  // what is stored is the question as it was
            requesters[id] = nil
            settle(id)
            throw .notStored("\(error)")
        }
    }

    /// - Parameter isHeld: whether the answer was held, and so is stored already: it was promised.
    /// - Returns: when the run was given it; `nil`: it cannot be now, is held on, and whoever waits for it waits on.
    private func deliver(_ question: Question, _ text: String, isHeld: Bool) async throws -> Int64? {
        let id = question.id
        let requester = Requester.one(of: givers(of: id))
        if !isHeld { try store(id) }
        do {
            // First of all: behind a restart, what the run's files say of an answer may be of this one.
            if table.noteSending(id) { try save(id, at: ports.clock.now()) }
            try await ports.deliver(question, text, requester)
        } catch {
            // While it is still on its way, so that nobody takes it before what they say is known.
            let reads = await readFiles(of: [question.session])
            let now = ports.clock.now()
            // Somebody who may ask can have given it, too, while it was on its way.
            let isTakenOver =
                (error as? Problem)?.code == .unauthorized && !requester.hasRight
                && givers(of: id).contains(where: \.hasRight)
            if isHeld, isTakenOver || QuestionError.mayPass(error) {
                let (isFirst, effects) = table.postpone(id, at: now)
                await perform(effects, at: now)
                notePostponed(isFirst: isFirst, error)
                await lookBehind(reads, at: now)
                return nil
            }
            defer { settle(id) }
            requesters[id] = nil
            await perform(table.release(id), at: now)
            await lookBehind(reads, at: now)
            // Somebody else's answer came first, on another channel.
            if case QuestionError.expired = error, table.questions[id]?.standing == .answered {
                throw QuestionError.alreadyAnswered
            }
            throw error
        }
        defer { settle(id) }
        requesters[id] = nil
        let now = ports.clock.now()
        await perform(table.noteDelivered(id, at: now), at: now)
        changes.signal()
        return now
    }

    /// What the run's files said of a question was left while its answer was on its way.
    private func lookBehind(_ reads: [QuestionReads.Read], at now: Int64) async {
        await perform(reads.flatMap { look($0, now: now) }, at: now)
        changes.signal()
    }

    private func notePostponed(isFirst: Bool, _ error: any Error) {
        logger.log(
            level: isFirst ? .warning : .debug,
            "A stored answer cannot be delivered now, and is tried again",
            metadata: ["error": "\(LoggedError.text(error))"])
    }

    /// An answer that was stored before its run waited for it.
    struct Held: Sendable {
        fileprivate let question: Question
        fileprivate let text: String
    }

    /// Claims what was held, or stored before a restart, and did not reach its run, if somebody still waits for it; while
    /// files may not be known, only what does not need them.
    ///
    /// - Parameter sessions: those that were looked at, without which nothing is tried again.
    private func claimStored(behind sessions: Set<SessionID>) -> [Held] {
        let stored = table.deliverable.filter { question in
            let session = question.session
            guard seen.contains(session), table.retries[question.id] == nil || sessions.contains(session)
            else { return false }
            return heldUntil == nil && !silent.contains(session) || !table.needsFiles(question)
        }
        return stored.compactMap { stored in
            let isLive = ports.isLive(stored.session)
            let question = table.reclaim(stored.id, now: ports.clock.now(), isLive: isLive)
            guard let question, let text = question.reply?.text else { return nil }
            return Held(question: question, text: text)
        }
    }

    func deliver(_ held: Held) async {
        do {
            _ = try await deliver(held.question, held.text, isHeld: true)
        } catch {
            logger.warning(
                "A stored answer cannot be delivered", metadata: ["error": "\(LoggedError.text(error))"])
        }
    }
}
