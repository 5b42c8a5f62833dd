package import Logging
package import RalphSessions
import RalphWire
import Synchronization

/// Controls the runs of one session, whoever started them.
///
/// Commands come one after the other; what a command is about to do is in the stored record before it touches a
/// file or a process, so that a server that dies in between finds out what to complete or to take back. All
/// means are Ralph's own (contract 4.9): files at iteration boundaries, a hook gate, appended rows. Signals go
/// to identities, never to bare numbers.
///
/// It works on threads of its own kind, since it looks at files: see ``BlockingExecutor``.
package actor SessionController {
    private let executor = BlockingExecutor(threads: .controllers)
    package internal(set) var record: RunRecord?
    var session: DiscoveredSession
    let settings: ControlSettings
    let reports: ControlReports
    let logger: Logger
    let launcher: RunLauncher
    nonisolated let queue = CommandQueue()
    /// Set while a stop waits or acts: launches give up then.
    nonisolated let stops = StopFlag()
    /// A look was asked for while a command acted.
    var needsLook = false
    /// The same for agents of a run that was over before anybody looked at it.
    var needsStrayLook = false
    /// A run that was handed over while a command acted.
    var handed: StartedRun?
    /// Whether the store has yet to take what ``record`` says.
    private var isUnsaved = false
    /// Whether what a dead server left half done was seen to.
    var isSettled = false
    /// The process that we spawned, until it is reaped: Ralph itself, or a wrapper around it.
    var child: ProcessHandle? { didSet { noteUnreaped() } }
    var probe = LivenessProbe()
    /// When the agents of a living run were looked for last.
    var lastTree: ContinuousClock.Instant?
    /// The stop file of a pending pause, if it is not there.
    var missingStop: MissingStop?
    /// What we spawned and killed, and is still to end.
    var lingering: [ProcessHandle] = [] { didSet { noteUnreaped() } }
    private nonisolated let unreaped = Atomic(false)
    /// Since when the process of a run that is over stays.
    var lingersSince: ContinuousClock.Instant?

    /// - Parameter record: what was stored of the session, if anything.
    package init(
        session: DiscoveredSession, record: RunRecord?, settings: ControlSettings,
        reports: ControlReports, logger: Logger
    ) {
        self.session = session
        self.record = record
        self.settings = settings
        self.reports = reports
        self.logger = logger
        launcher = RunLauncher(settings: settings, keepsOutput: reports.keepsOutput, logger: logger)
    }

    /// Takes what discovery knows by now.
    package func refresh(_ session: DiscoveredSession) {
        if session.id == self.session.id { self.session = session }
    }

    /// Whether something that we spawned is not reaped yet: until it is, ``observe()`` is to be called each second.
    package nonisolated var hasUnreaped: Bool { unreaped.load(ordering: .relaxed) }

    private func noteUnreaped() { unreaped.store(child != nil || !lingering.isEmpty, ordering: .relaxed) }

    /// Goes on with a process that we spawned; the one before, which may be a wrapper that lives on, is reaped in its time.
    func follow(_ spawned: ProcessHandle?) {
        if let child { lingering.append(child) }
        child = spawned
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var files: ControlFiles { ControlFiles(session.directory) }
    var events: EventsFileWriter { EventsFileWriter(session.directory) }

    // MARK: Turns

    /// Runs a command when its turn has come, if whoever asked for it still may, and has not given up since.
    ///
    /// The turn is waited for outside of the actor: that may wait for a file system, and nobody is to wait for that with it.
    nonisolated func inTurn<Outcome: Sendable>(
        _ kind: CommandQueue.Kind, by requester: Requester,
        _ body: @Sendable (isolated SessionController) async throws(ControlError) -> Outcome
    ) async throws(ControlError) -> Outcome {
        let deadline = CommandQueue.patience(of: kind).map { ContinuousClock.now + $0 }
        switch await queue.turn(for: kind) {
        case .go: return try await carryOut(before: deadline, by: requester, body)
        case .busy: throw .busy
        case .superseded: throw .superseded
        }
    }

    /// Runs a command that has the turn.
    ///
    /// - Parameter deadline: it may have waited for a thread, too.
    private func carryOut<Outcome: Sendable>(
        before deadline: ContinuousClock.Instant?, by requester: Requester,
        _ body: @Sendable (isolated SessionController) async throws(ControlError) -> Outcome
    ) async throws(ControlError) -> Outcome {
        do throws(ControlError) {
            if let deadline, ContinuousClock.now >= deadline { throw ControlError.busy }
            try requester.requireRight()
            let outcome = try await body(self)
            await leave()
            return outcome
        } catch {
            await leave()
            throw error
        }
    }

    /// Gives the turn to the next command, after the looks that were asked for meanwhile and what was handed over.
    func leave() async {
        while needsLook || handed != nil {
            keepHanded()
            needsLook = false
            await look()
        }
        if needsStrayLook { noteStrays() }
        queue.leave()
    }

    // MARK: The record

    /// Stores `record` and makes it the current one; nothing is done that the store does not know of.
    func save(_ record: RunRecord) throws(ControlError) {
        do {
            try reports.save(record)
        } catch {
            throw .unwritable(path: "the state directory", reason: String(describing: error))
        }
        self.record = record
        isUnsaved = false
    }

    /// Stores what was found out. If that fails the next look tries again.
    func saveObserved(_ record: RunRecord) {
        guard record != self.record || isUnsaved else { return }
        self.record = record
        do {
            try reports.saveObserved(record)
            isUnsaved = false
        } catch {
            if !isUnsaved { warn("a run's state was not stored", error) }
            isUnsaved = true
        }
    }

    /// What did not work and does not fail the command.
    func warn(_ message: String, _ error: any Error) {
        let reason = (error as? ControlError)?.kind ?? "\(error)"
        logger.warning("\(message)", metadata: ["session.id": "\(session.id)", "reason": "\(reason)"])
    }

    func tell(_ note: ControlNote) async { await reports.note(session.id, note) }

    /// Says in the session's events that something took effect.
    ///
    /// - Parameter since: when it did; `nil`: `now`.
    func tell(
        _ type: String, _ request: RunRecord.Request?, at now: Int64, since: Int64? = nil,
        _ members: [(String, String)]
    ) async {
        var payload = JSONObjectText()
        if let request { payload.add("requested_at", Timestamp.text(request.requestedAt)) }
        for (key, value) in members { payload.add(key, value) }
        payload.add("effective_at", Timestamp.text(since ?? now))
        await tell(.event(type: type, payload: payload.text, at: now))
    }
}
