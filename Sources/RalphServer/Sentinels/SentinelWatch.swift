import Logging
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// Looks after living runs, and tells by `sentinel.…` events when one seems to be in trouble.
///
/// An episode is told once; the session's state remembers which, with the event in one transaction.
actor SentinelWatch: Service {
    /// Between two looks at all living runs, unless a run's silence is due before; milliseconds.
    private static let lookInterval: Int64 = 5000

    private let rules: SentinelRules
    private let ports: SentinelPorts
    private let changes: ChangedSessions
    private let logger: Logger
    /// The living runs.
    private var runs: [SessionID: SentinelMemory] = [:]
    /// When a session told signals within the last hour, whichever of its runs.
    private var tellings: [SessionID: [Int64]] = [:]
    private var nextLook: Int64 = 0
    /// Signals that were not told because their session had told too many.
    nonisolated let suppressed = Atomic(0)

    /// - Parameter changes: where the ingest thread says which sessions changed; this one's alone.
    init(rules: SentinelRules, ports: SentinelPorts, changes: ChangedSessions, logger: Logger) {
        self.rules = rules
        self.ports = ports
        self.changes = changes
        self.logger = logger
    }

    /// Follows the sessions and the time until the service is shut down; sleeps while no run is alive.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await step()
                await changes.wait(until: runs.isEmpty ? nil : nextLook, by: ports.clock)
            }
        }
    }

    /// Looks at what changed, and when it is time at all living runs.
    func step() async {
        let now = ports.clock.now()
        var due = changes.take()
        // The wall clock may have been set back.
        if now >= nextLook || nextLook - now > Self.lookInterval {
            due.formUnion(runs.keys)
            nextLook = now + Self.lookInterval
        }
        for id in due { await look(at: id, now: now) }
    }

    private func look(at id: SessionID, now: Int64) async {
        guard let facts = ports.facts(id) else {
            runs[id] = nil
            return
        }
        guard facts.isAlive || runs[id] != nil else { return }
        var memory = runs[id] ?? SentinelMemory(facts, now: now)
        let silentBefore = memory.silentSince
        memory.look(facts, now: now)
        for finding in rules.findings(facts, memory, silentBefore: silentBefore, now: now) {
            await take(finding, of: id, facts.signs, &memory, now: now)
        }
        runs[id] = facts.isAlive ? memory : nil
        if let moment = rules.stallMoment(facts, memory), moment > now { nextLook = min(nextLook, moment) }
    }

    private func take(
        _ finding: SentinelRules.Finding, of id: SessionID, _ signs: SessionSigns?,
        _ memory: inout SentinelMemory, now: Int64
    ) async {
        do {
            switch finding {
            case .over(let sentinel, let payload):
                guard let episode = signs?.episode(sentinel), memory.ended[sentinel] != episode else {
                    return
                }
                try await ports.tell(id, .signalOver(sentinel, payload: payload?.text(), at: now))
                memory.told[sentinel] = nil
                memory.ended[sentinel] = episode
            case .trouble(let sentinel, let episode, let payload):
                guard memory.told[sentinel] != episode else { return }
                guard mayTell(id, signs, now: now) else {
                    suppressed.wrappingAdd(1, ordering: .relaxed)
                    logger.debug("A signal is not told: too many", metadata: ["session.id": "\(id)"])
                    memory.told[sentinel] = episode
                    return
                }
                try await ports.tell(
                    id,
                    .signal(
                        sentinel, episode: episode, payload: payload.text(), at: now,
                        since: sentinel == .stalled ? memory.silentSince : nil))
                tellings[id, default: []].append(now)
                memory.told[sentinel] = episode
                memory.ended[sentinel] = nil
            }
        } catch {
            // It is found again at the next look.
            logger.debug(
                "A signal cannot be told",
                metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
        }
    }

    /// Whether the session may tell one more.
    ///
    /// - Parameter signs: tell what an earlier server told.
    private func mayTell(_ id: SessionID, _ signs: SessionSigns?, now: Int64) -> Bool {
        if tellings[id] == nil { tellings[id] = signs?.toldAt }
        for (id, times) in tellings {
            let recent = times.filter { $0 > now - SessionSigns.hour && $0 <= now }
            tellings[id] = recent.isEmpty ? nil : recent
        }
        return tellings[id, default: []].count < SentinelSettings.maximumPerHour
    }
}
