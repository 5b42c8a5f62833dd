import Foundation
import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import ServiceLifecycle

/// What the server consists of behind its listener; the routes are built of it.
struct ServerParts: Sendable {
    let configuration: ServerConfiguration
    let files: ServerFiles
    let logger: Logger
    let catalogue: SessionCatalogue
    let counters = StreamCounters()
    let clients = StreamClients()
    let tickets = StreamTickets()
    let endings = StreamEnding()
    let listening = ListeningPort()
    /// For files of workspaces, of the library and of the certificate.
    let threads = FileThreads(most: 64)
    /// For what a command needs of its workspace before it begins, so that it waits for no request that only reads.
    let startThreads = FileThreads(most: 16)
    /// For pages of history and exports, which take longer: no look at a workspace waits for that, nor a stream.
    let historyThreads = FileThreads(most: 16)
    /// For what streams read of Ralph's own files, whose file system may not answer: no stream of another one waits for that.
    let archiveThreads = FileThreads(most: 16)
    /// For what the state directory keeps of commands, devices, the audit and the newest events: who waits for these waits
    /// for no workspace, whose file system may not answer.
    let stateThreads = NIOThreadPool(numberOfThreads: 2)
    /// For figures, metrics, documents of this server and the output that it keeps, so that they wait for no workspace, and
    /// no command for them.
    let ownThreads = NIOThreadPool(numberOfThreads: 2)
    /// For what tells of the machine, the disk of the first root among it.
    let hostThreads = NIOThreadPool(numberOfThreads: 1)
    /// For what streams read of the store, so that nobody else waits for that.
    let replayThreads = NIOThreadPool(numberOfThreads: 2)
    /// For what streams read of the store to find where they start, which may be all of it: no replay waits for that.
    let seekThreads = NIOThreadPool(numberOfThreads: 2)
    let ingest: Ingest
    /// `nil`: switched off.
    let search: SearchService?
    let library: Library
    let control: ControlService
    let questions: QuestionBook
    let loopJobs: LoopJobs
    let host: HostSampler
    let sentinels: SentinelWatch
    let taskKeeper: TaskKeeper
    let audit: AuditLog

    /// - Throws: a `StoreError` where what the store keeps of runs and questions cannot be read.
    init(
        _ configuration: ServerConfiguration, _ files: ServerFiles, environment: [String: String],
        logger: Logger
    ) throws {
        (self.configuration, self.files, self.logger) = (configuration, files, logger)
        catalogue = SessionCatalogue(turn: IngestTurn(limit: configuration.readingPatience))
        let userConfiguration = SessionDirectory.userConfiguration(environment)
        let registry = try RunRegistry(
            ledger: files.feed.ledger, catalogue: catalogue, userConfiguration: userConfiguration,
            logger: logger)
        let changes = (control: ChangedSessions(), questions: ChangedSessions(), sentinels: ChangedSessions())
        ingest = Ingest(
            settings: Self.ingestSettings(
                configuration, files, registry, userConfiguration: userConfiguration),
            feed: files.feed, catalogue: catalogue, logger: logger,
            onChange: {
                changes.control.add($0)
                changes.questions.add($0)
                changes.sentinels.add($0)
            })
        search = Self.makeSearch(configuration, files, ingest: ingest, logger: logger)
        library = Self.makeLibrary(configuration, catalogue, files.state, threads, environment: environment)
        let settings = Self.controlSettings(configuration, files, library, environment: environment)
        Self.warn(configuration, settings, logger)
        control = ControlService(
            catalogue: catalogue, registry: registry, devices: files.devices, feed: files.feed,
            ingest: ingest, changes: changes.control, settings: settings, threads: threads,
            startThreads: startThreads, stateThreads: stateThreads, ownThreads: ownThreads, logger: logger)
        questions = try QuestionBook(
            ports: QuestionPorts(control: control), changes: changes.questions, logger: logger)
        loopJobs = LoopJobs(control: control)
        host = HostSampler(
            files: HostFiles(diskPath: configuration.roots[0]),
            owners: .init(registry: registry, catalogue: catalogue), threads: hostThreads, logger: logger)
        sentinels = Self.makeSentinels(
            configuration, SentinelPorts(catalogue: catalogue, ingest: ingest), changes: changes.sentinels,
            logger: logger)
        taskKeeper = TaskKeeper(threads: threads, logger: logger)
        audit = Self.makeAudit(configuration, files, threads: stateThreads, logger: logger)
    }

    /// What works beside the listener: begins before it, and ends behind it.
    var services: [any Service] {
        let keeper = StateKeeper(
            devices: devices, record: files.record, ledger: feed.ledger, threads: stateThreads,
            logger: logger)
        return [audit, ingest, control, questions, loopJobs, taskKeeper, sentinels, host, keeper]
            + (search.map { [$0] } ?? [])
            + (tls.map { [CertificateWatch(setup: $0, logger: logger)] } ?? [])
    }

    /// All pools but that of the state, which ends behind them.
    var pools: [NIOThreadPool] { [ownThreads, hostThreads, replayThreads, seekThreads] }

    var feed: EventFeed { files.feed }
    var devices: DeviceBook { files.devices }
    /// What tools of the same user on this machine show.
    var localKey: String { files.record.key }
    /// `nil`: the server speaks plain HTTP.
    var tls: TLSSetup? { files.tls }
    /// Canonical paths of what no answer may show, file by file, for what is read of a session.
    var secretFiles: [String] { configuration.secretFiles(files.state) }

    func makeHealth() -> ServerHealth {
        ServerHealth(
            feed: feed, catalogue: catalogue, counters: counters,
            isKeyRequired: configuration.apiKey != nil, startedAt: .now, control: control,
            questions: questions, sentinels: sentinels, taskKeeper: taskKeeper, search: search, audit: audit)
    }

    /// Lets a few pages of history be made at once. One that waits has its turn when a file system does not answer others.
    func makeHistoryTurns() -> WorkTurns {
        WorkTurns(
            places: HistoryReader.places, patience: FileThreads.limit + .seconds(5), what: "pages of history",
            maximumWaiting: HistoryReader.maximumWaiting)
    }

    /// Make it once: it holds the tickets that are open.
    func makePairing() -> Pairing {
        Pairing(
            devices: devices, threads: stateThreads, host: configuration.host, port: listening,
            fingerprint: { tls?.fingerprint })
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
            ends: StoredEnds(feed: feed, read: control.ingest.storedState(of:)), threads: ownThreads)
    }

    func makeSessionFiles(_ history: HistoryReader) -> SessionFileServices {
        // What diffs of a former server left; none is there.
        try? FileManager.default.removeItem(atPath: files.state.shelters)
        return SessionFileServices(
            catalogue: catalogue, secrets: secretFiles, threads: threads,
            diff: WorkspaceDiff(
                settings: control.settings, roots: library.places.roots,
                secrets: { [files] in [files.state.path] + files.keyFiles.paths },
                directory: files.state.shelters,
                turns: WorkTurns(places: WorkspaceDiff.places, patience: .seconds(5), what: "diffs"),
                threads: threads),
            export: SessionExport(
                feed: feed, catalogue: catalogue, history: history,
                turns: WorkTurns(
                    places: SessionExport.places, patience: FileThreads.limit + .seconds(5), what: "exports"))
        )
    }

    func makeLoops(_ commands: SessionCommands) -> LoopCommands {
        LoopCommands(
            reader: LoopReader(
                roots: library.places.roots, catalogue: catalogue, silent: library.places.silent),
            jobs: loopJobs,
            commands: commands)
    }

    func makeWorkspaceFiles() -> WorkspaceFiles {
        WorkspaceFiles(
            resolver: WorkspaceResolver(
                roots: library.places.roots, secrets: secretFiles, catalogue: catalogue,
                silent: library.places.silent),
            waiting: LockWaiting(threads: threads), control: control, keeper: taskKeeper,
            rule: rule)
    }
}
