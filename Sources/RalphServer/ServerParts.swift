import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// What the routes are built of.
struct ServerParts: Sendable {
    let configuration: ServerConfiguration
    let feed: EventFeed
    let catalogue: SessionCatalogue
    let counters: StreamCounters
    let clients: StreamClients
    let devices: DeviceBook
    let tickets: StreamTickets
    let audit: AuditLog
    let auditReader: AuditReader
    /// What tools of the same user on this machine show.
    let localKey: String
    let listening: ListeningPort
    /// `nil`: the server speaks plain HTTP.
    let tls: TLSSetup?
    let control: ControlService
    let questions: QuestionBook
    let loopJobs: LoopJobs
    let taskKeeper: TaskKeeper
    let sentinels: SentinelWatch
    let endings: StreamEnding
    /// `nil`: switched off.
    let search: SearchService?
    let threads: NIOThreadPool
    /// For reading the past, so that nobody else waits for that.
    let replayThreads: NIOThreadPool
    let host: HostSampler
    let ingestFigures: IngestFigures
    /// Where git directories for diffs are made.
    let shelters: String
    /// Canonical paths of what no answer may show.
    let secrets: [String]
    /// The same file by file, for what is read of a session.
    let secretFiles: [String]
    let library: Library
    let logger: Logger

    /// SHA-256 of the certificate that clients get to see, in hexadecimal; `nil`: plain HTTP.
    var tlsFingerprint: String? { tls?.fingerprint }

    func makeHealth() -> ServerHealth {
        ServerHealth(
            feed: feed, catalogue: catalogue, counters: counters,
            isKeyRequired: configuration.apiKey != nil, startedAt: .now, control: control,
            questions: questions, sentinels: sentinels, taskKeeper: taskKeeper, search: search, audit: audit)
    }

    /// Lets as many pages of history be made as there are threads for it.
    func makeHistoryTurns() -> WorkTurns {
        WorkTurns(
            places: HistoryReader.places, patience: .seconds(5), what: "pages of history",
            maximumWaiting: HistoryReader.maximumWaiting)
    }

    /// Make it once: it holds the tickets that are open.
    func makePairing() -> Pairing {
        Pairing(
            devices: devices, threads: threads, host: configuration.host, port: listening,
            fingerprint: { tlsFingerprint })
    }

    private func makeResolver() -> StartResolver {
        var resolver = StartResolver(places: library.places)
        resolver.workspaces = { [library] in library.workspaces() }
        return resolver
    }

    private var rule: CommandRule { CommandRule(allowsRemote: configuration.allowsRemoteCommands) }

    func makeCommands() -> SessionCommands {
        SessionCommands(
            control: control, feed: feed,
            resolver: makeResolver(),
            streams: endings, rule: rule)
    }

    func makeFigures() -> FigureReader {
        FigureReader(
            feed: feed, catalogue: catalogue, registry: control.registry,
            storedState: control.ingest.storedState(of:), threads: threads)
    }

    func files(_ history: HistoryReader) -> SessionFileServices {
        SessionFileServices(
            catalogue: catalogue, secrets: secretFiles, threads: threads,
            diff: WorkspaceDiff(
                settings: control.settings, roots: library.places.roots, secrets: secrets,
                directory: shelters,
                turns: WorkTurns(places: WorkspaceDiff.places, patience: .seconds(5), what: "diffs"),
                threads: threads),
            export: SessionExport(
                feed: feed, catalogue: catalogue, history: history,
                turns: WorkTurns(places: SessionExport.places, patience: .seconds(10), what: "exports")))
    }

    func makeLoops() -> LoopCommands {
        LoopCommands(
            reader: LoopReader(roots: library.places.roots, catalogue: catalogue), jobs: loopJobs,
            commands: makeCommands())
    }

    func makeWorkspaceFiles() -> WorkspaceFiles {
        WorkspaceFiles(
            resolver: WorkspaceResolver(
                roots: library.places.roots, secrets: secretFiles, catalogue: catalogue),
            waiting: LockWaiting(threads: threads), control: control, keeper: taskKeeper,
            rule: rule)
    }
}
