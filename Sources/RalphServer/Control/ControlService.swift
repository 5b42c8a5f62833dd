import Foundation
import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// Everything that is done to runs goes through here: one controller per session, every command on record.
///
/// Runs are not ours to end: when the server goes down they go on, and the next one finds them again.
final class ControlService: Service {
    private static let sweepLimit: Duration = .seconds(3)
    /// How long the end waits for what is being done about runs, and then for a last word of each; the next server completes
    /// what is left of it.
    private static let endLimit: Duration = .milliseconds(500)

    let catalogue: SessionCatalogue
    let registry: RunRegistry
    let devices: DeviceBook
    let feed: EventFeed
    let ingest: Ingest
    let changes: ChangedSessions
    let settings: ControlSettings
    let logger: Logger
    /// The threads for files of workspaces.
    let threads: FileThreads
    /// Those for what a start and a purge need of their workspace.
    let startThreads: FileThreads
    /// Those for what the ledger keeps of commands, which wait for no workspace.
    let stateThreads: NIOThreadPool
    /// The threads for the output of runs.
    let ownThreads: NIOThreadPool
    /// What the commands, runs and questions are stored in.
    var ledger: ControlLedger { feed.ledger }
    let report = Mutex(ControlReport())
    let turns = Mutex(LookTurns())
    /// Where runs are started, and where loops are merged or discarded.
    let worktrees: WorktreeClaims
    /// Output that could not be capped, which was told.
    let uncapped = Mutex<Set<String>>([])
    private let controllers = Mutex<[SessionID: SessionController]>([:])
    /// Set when the end begins: no further look at a run is begun by the sweep.
    let isEnding = Atomic(false)
    private let scanned = AsyncStream.makeStream(of: Void.self)
    private let swept = AsyncStream.makeStream(of: Void.self)

    init(
        catalogue: SessionCatalogue, registry: RunRegistry, devices: DeviceBook, feed: EventFeed,
        ingest: Ingest, changes: ChangedSessions, settings: ControlSettings, threads: FileThreads,
        startThreads: FileThreads, stateThreads: NIOThreadPool, ownThreads: NIOThreadPool, logger: Logger
    ) {
        self.catalogue = catalogue
        self.registry = registry
        self.devices = devices
        self.feed = feed
        self.ingest = ingest
        self.changes = changes
        self.settings = settings
        self.threads = threads
        self.startThreads = startThreads
        self.stateThreads = stateThreads
        self.ownThreads = ownThreads
        worktrees = WorktreeClaims(threads: startThreads)
        self.logger = logger
    }

    /// Looks at every run once, then whenever something changes and each second, until the service ends; at none if the
    /// server ends before the sessions are known.
    func run() async throws {
        defer {
            scanned.continuation.finish()
            swept.continuation.finish()
        }
        let isScanOver = await ingest.waitForFirstScan()
        scanned.continuation.finish()
        guard isScanOver else {
            swept.continuation.finish()
            try? await gracefulShutdown()  // cancelled: nothing was begun
            return
        }
        // Ends with the service, or is left to the end of the process: ending a run takes longer than anybody waits.
        let watching = Task<Void, Never> {
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    await sweep()
                    swept.continuation.finish()
                }
                // Beside it: one that waits for a file system that does not answer holds up no other.
                await waitForSweep()
                await watch()
            }
        }
        await withTaskCancellationHandler {
            try? await gracefulShutdown()  // cancelled: everybody ends now
            isEnding.store(true, ordering: .relaxed)
            await Landing.wait(atMost: Self.endLimit) { await watching.value }
        } onCancel: {
            watching.cancel()
        }
        let all = controllers.withLock { Array($0.values) }
        // One may wait for a file system that does not answer.
        await Landing.wait(atMost: Self.endLimit) {
            await withDiscardingTaskGroup { group in
                for controller in all { group.addTask { await controller.noteSeen() } }
            }
        }
    }

    /// Returns when sessions have been found and runs of a former server among them; for the latter it waits no
    /// longer than ``sweepLimit``: finishing a stop that a former server had begun takes longer than anybody
    /// should wait for `/health`.
    func waitForSweep() async {
        for await _ in scanned.stream {}
        // Cancelled: nobody waits any more.
        _ = try? await Deadline.value(within: Self.sweepLimit) { [swept] in for await _ in swept.stream {} }
    }

    // MARK: Controllers

    /// The controller of a session that was found.
    ///
    /// - Throws: ``Problem`` 404.
    func controller(for id: SessionID) throws(Problem) -> SessionController {
        controller(of: try catalogue.require(id).session)
    }

    /// The sessions whose runs have left a process that is to be reaped.
    var unreaped: [SessionID] {
        controllers.withLock { $0.filter(\.value.hasUnreaped).map(\.key) }
    }

    /// The controller of a session, whether it was found already or is about to begin.
    func controller(of session: DiscoveredSession) -> SessionController {
        controllers.withLock { controllers in
            if let known = controllers[session.id] { return known }
            let made = SessionController(
                session: session, record: registry.run(session.id)?.record ?? .past(in: session),
                settings: settings, reports: reports(of: session.id), logger: logger)
            controllers[session.id] = made
            return made
        }
    }

    /// Goes on with a run that the controller of another session started: that of a worktree.
    func take(_ run: StartedRun, in session: DiscoveredSession) async {
        await controller(of: session).take(run)
    }

    /// What the controller of `session` asks of the server.
    func reports(of session: SessionID) -> ControlReports {
        ControlReports(
            save: { [registry] record in try registry.save(record) },
            saveObserved: { [registry] record in
                try registry.save(record, isObserved: true) {
                    guard let id = SessionID(record.session), id != session else { return true }
                    // A run that is handed over, and was found by its own controller before: that one knows more of it.
                    return registry.run(id)?.record.isSameRun(as: record) != true
                }
            },
            note: { [ingest, logger] id, note in
                do {
                    try await ingest.tell(note, to: id)
                } catch {
                    logger.error(
                        "A note of control was not stored",
                        metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
                }
            },
            readToEnd: { [ingest, catalogue, logger] id in
                guard catalogue.storeProblem == nil else { return }
                do {
                    // A stop has its end within 25 s (http-contract 1.1), whatever another session's file system does.
                    if catalogue.isReadingStuck() { return try ingest.leaveToRead(id) }
                    try await ingest.readToEnd(of: id)
                } catch {
                    logger.warning(
                        "The files of a run that is over wait to be read",
                        metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
                }
            },
            keepsOutput: { [registry] in registry.keeps(output: $0) },
            isMerge: { [worktrees] in worktrees.isMerge(in: $0) })
    }

    // MARK: The record of commands

    /// A caller as the controllers know it: one whose device was revoked may ask for nothing any more.
    func requester(_ caller: Caller) -> Requester {
        Requester(caller.text, device: caller.device?.text) { [devices] in devices.knows(caller.device) }
    }

    /// The device of this id, for what it asked for before a restart.
    func requester(ofDevice id: String) -> Requester {
        let device = DeviceID(id)
        return Requester("device \(id)", device: id) { [devices] in device != nil && devices.knows(device) }
    }

    /// Carries a command out and puts on record who asked for what, when, and what came of it.
    ///
    /// A stop and a pause are carried out even if nothing can be stored; any other command is refused then.
    /// - Parameter body: gets the marker that rows written for the command bear.
    func command<T: Sendable>(
        _ kind: String, on session: SessionID?, by caller: Caller, detail: String? = nil,
        _ body: (_ marker: String) async throws -> T
    ) async throws -> T {
        let marker = Self.makeMarker()
        let record = CommandRecord(
            session: session, kind: kind, by: caller.text, marker: marker, detail: detail,
            requestedAt: WallClock.milliseconds())
        let id = try await begin(record)
        do {
            let value = try await body(marker)
            let outcome = (value as? any CommandOutcome)?.outcome ?? "accepted"
            await conclude(id, outcome, status: Self.creating.contains(kind) ? 201 : 200, detail: nil)
            return value
        } catch {
            let problem = Problem(any: error)
            await conclude(
                id, problem.status < 500 ? "rejected" : "failed", status: problem.status,
                detail: problem.error)
            throw error
        }
    }

    private func begin(_ record: CommandRecord) async throws -> Int64? {
        do {
            return try await stateThreads.runIfActive { [ledger] in try ledger.begin(record) }
        } catch {
            guard ["stop", "pause"].contains(record.kind) else { throw error }
            logger.error("A command is not on record", metadata: ["error": "\(LoggedError.text(error))"])
            return nil
        }
    }

    private func conclude(_ id: Int64?, _ outcome: String, status: Int, detail: String?) async {
        guard let id else { return }
        let now = WallClock.milliseconds()
        do {
            try await stateThreads.runIfActive { [ledger] in
                try ledger.conclude(id, outcome: outcome, status: status, detail: detail, at: now)
            }
        } catch {
            logger.error(
                "A command's outcome is not on record yet",
                metadata: ["error": "\(LoggedError.text(error))", "outcomes.lost": "\(ledger.lostOutcomes)"])
        }
    }

    /// Commands that make something, and so are answered with 201.
    private static let creating: Set = ["start", "task_add"]

    /// `cmd_` and 16 hexadecimal digits.
    private static func makeMarker() -> String {
        "cmd_" + Hexadecimal.text(UInt64.random(in: 0...UInt64.max))
    }
}

/// A result that says itself what became of its command.
protocol CommandOutcome {
    /// `accepted` or `queued`.
    var outcome: String { get }
}
