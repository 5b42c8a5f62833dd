import Foundation
package import Logging
import NIOCore
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// The server: configuration in, running services out. Everything is built here and nowhere else.
package final class RalphServer: Sendable {
    private let configuration: ServerConfiguration
    private let logger: Logger
    private let feed: EventFeed
    private let catalogue = SessionCatalogue()
    private let counters = StreamCounters()
    private let clients = StreamClients()
    private let streamEnds: StreamEndsFile
    private let ingest: Ingest
    private let control: ControlService
    private let questions: QuestionBook
    private let loopJobs: LoopJobs
    private let search: SearchService?
    private let host: HostSampler
    private let sentinels: SentinelWatch
    private let library: Library
    private let taskKeeper: TaskKeeper
    private let devices: DeviceBook
    private let record: RunningRecord
    private let tls: TLSSetup?
    private let audit: AuditLog
    private let listener: HTTPListener
    private let loops: MultiThreadedEventLoopGroup
    private let threads: NIOThreadPool
    private let replayThreads: NIOThreadPool
    private let demo: DemoWorkspace?
    private let mintedKey: String?
    private let state: StateDirectory
    private let listening = ListeningPort()

    /// Opens the store and builds every part; nothing runs yet.
    ///
    /// - Throws: ``ConfigurationProblem`` or ``StoreError`` with a sentence for the person who started it.
    package init(_ given: ServerConfiguration, environment: [String: String], logger: Logger) throws {
        var configuration = given
        if configuration.isDemo {
            let workspace = try DemoWorkspace(copying: configuration.roots[0])
            configuration.roots = [workspace.root]
            configuration.ralph = workspace.standIn ?? configuration.ralph
            configuration.stateDirectory = configuration.stateDirectory ?? workspace.root + "/.state"
            demo = workspace
        } else {
            demo = nil
        }
        let state: StateDirectory
        let registry: RunRegistry
        do {
            state = try StateDirectory(
                path: configuration.stateDirectory
                    ?? ServerConfiguration.defaultStateDirectory(
                        root: configuration.roots[0], environment: environment))
            var minted: String?
            if configuration.apiKey == nil, !configuration.isLoopback, !configuration.isOpenToAll {
                let (key, isNew) = try state.key()
                configuration.apiKey = key
                if isNew { minted = key }
            }
            mintedKey = minted
            record = RunningRecord(path: state.record)
            tls = try configuration.tls.map { source throws(ConfigurationProblem) in
                try TLSSetup(source, state: state)
            }
            var feedConfiguration = FeedConfiguration(path: state.store)
            feedConfiguration.ring = configuration.ring
            feed = try EventFeed(feedConfiguration, logger: logger)
            streamEnds = StreamEndsFile(path: state.streamEnds)
            // Behind the store's lock: another server may have revoked one until it ended.
            devices = try DeviceBook(path: state.devices)
            registry = try RunRegistry(
                ledger: feed.ledger, catalogue: catalogue,
                userConfiguration: SessionDirectory.userConfiguration(environment), logger: logger)
            let now = WallClock.milliseconds()
            clients.add(streamEnds.take(epoch: feed.epoch), now: now) { [feed] id in feed.head(of: id)?.last
            }
        } catch {
            demo?.remove()
            throw error
        }
        self.configuration = configuration
        self.logger = logger
        self.state = state
        let changes = ChangedSessions()
        let questionChanges = ChangedSessions()
        let sentinelChanges = ChangedSessions()
        ingest = Ingest(
            settings: Self.ingestSettings(
                configuration, registry, userConfiguration: SessionDirectory.userConfiguration(environment),
                secrets: configuration.secretFiles(state)),
            feed: feed, catalogue: catalogue, logger: logger,
            onChange: {
                changes.add($0)
                questionChanges.add($0)
                sentinelChanges.add($0)
            })
        search = Self.makeSearch(configuration, state, feed: feed, ingest: ingest, logger: logger)
        loops = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
        threads = NIOThreadPool(numberOfThreads: 2)
        replayThreads = NIOThreadPool(numberOfThreads: HistoryReader.places)
        library = Self.makeLibrary(configuration, catalogue, state, environment: environment)
        var settings = ControlSettings(
            ralph: configuration.ralph, runs: state.runs,
            environment: ControlSettings.childEnvironment(
                environment, secrets: [configuration.apiKey, record.key].compactMap { $0 }))
        settings.descriptors = configuration.childDescriptors
        settings.mask = configuration.childMask
        settings.places = library.places.bases
        for root in configuration.roots {
            guard let workspace = SessionDirectory.workspace(of: root) else { continue }
            logger.warning(
                "A root is where Ralph keeps a session: that one is found with the directory above it as a root",
                metadata: ["root": "\(root)", "directory": "\(workspace)"])
        }
        if let problem = settings.programProblem {
            logger.warning("Runs cannot be started", metadata: ["reason": "\(problem)"])
        }
        control = ControlService(
            catalogue: catalogue, registry: registry, devices: devices, feed: feed, ingest: ingest,
            changes: changes, settings: settings, threads: threads, logger: logger)
        do {
            questions = try QuestionBook(
                ports: QuestionPorts(control: control), changes: questionChanges, logger: logger)
        } catch {
            demo?.remove()
            throw error
        }
        loopJobs = LoopJobs(control: control)
        host = HostSampler(
            files: HostFiles(diskPath: configuration.roots[0]),
            owners: ProcessOwners(registry: registry, catalogue: catalogue), threads: threads, logger: logger)
        sentinels = SentinelWatch(
            rules: SentinelRules(settings: configuration.sentinels),
            ports: SentinelPorts(catalogue: catalogue, ingest: ingest), changes: sentinelChanges,
            logger: logger)
        taskKeeper = TaskKeeper(threads: threads, logger: logger)
        audit = AuditLog(
            file: AuditFile(path: state.audit),
            rules: AuditRules(
                Self.makeTable(), secrets: [configuration.apiKey, record.key].compactMap { $0 }),
            threads: threads,
            logger: logger)
        let fanOut = StreamFanOut(loops: System.coreCount, maximumLent: configuration.streams.maximumLent)
        let endings = StreamEnding()
        let parts = ServerParts(
            configuration: configuration, feed: feed, catalogue: catalogue, counters: counters,
            clients: clients,
            devices: devices, tickets: StreamTickets(), audit: audit,
            auditReader: AuditReader(path: state.audit), localKey: record.key, listening: listening, tls: tls,
            control: control, questions: questions, loopJobs: loopJobs, taskKeeper: taskKeeper,
            sentinels: sentinels, endings: endings, search: search, threads: threads,
            replayThreads: replayThreads, host: host,
            ingestFigures: ingest.figures,
            shelters: state.shelters, secrets: configuration.secretPaths(state),
            secretFiles: configuration.secretFiles(state), library: library,
            logger: logger)
        listener = Self.makeListener(parts, loops: loops, fanOut: fanOut)
        endings.connect(
            ofSession: { [weak listener] id, seq in await listener?.endStreams(of: id, after: seq) },
            ofDevice: { [weak listener] device in await listener?.endStreams(of: device) })
        fanOut.connect { [weak listener, counters] index in
            counters.wakeups.add(1, ordering: .relaxed)
            listener?.drainStreams(ofLoop: index)
        }
        if !fanOut.lent.isQueued {
            logger.info("The kernel offers no queue for writes: each socket takes a system call")
        }
        feed.addSink(fanOut)
    }

    /// The port bound, once it is.
    package var port: Int? { listening.number }

    /// The routes of the whole interface, `METHOD /path`.
    package static var routes: [String] { makeTable().routes.map { "\($0.method) \($0.path)" } }

    /// Runs until a signal or cancellation; returns when everything is stored and closed.
    ///
    /// - Parameters:
    ///   - handlesSignals: whether SIGTERM, SIGINT and SIGHUP of the process are this server's to handle.
    ///   - isJournal: whether a journal keeps the lines; a new key is not told to one.
    ///   - say: takes the lines that scripts rely on (http-contract 15.1).
    package func run(
        handlesSignals: Bool, isJournal: Bool = false, say: @escaping @Sendable (String) -> Void
    ) async throws {
        // Before anybody can know that the server runs.
        let trapped = handlesSignals ? await SignalService.trap() : nil
        threads.start()
        replayThreads.start()
        library.start()
        let demoRun = makeDemoRun()
        let http = HTTPService(
            listener: listener, host: configuration.host, port: configuration.port,
            didStart: { [self] port in announce(port, isJournal: isJournal, say) },
            waitUntilReady: { [control] in
                await control.waitForSweep()
                await demoRun?.waitForStart()
            })
        let services: [any Service] =
            [audit, ingest, control, questions, loopJobs, taskKeeper, sentinels, host, stateKeeper]
            + (search.map { [$0] } ?? []) + [http]
            + (demoRun.map { [$0] } ?? makeDemoPlayer())
        let group = ServiceGroup(
            configuration: .init(
                services: services.map {
                    .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                logger: logger))
        let signals = SignalService(
            logger: logger, reload: { [self] in await reload() },
            shutDown: { [notification] in
                notification.send(.stopping)
                await group.triggerGracefulShutdown()
            })
        var failure: (any Error)?
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                if let trapped { tasks.addTask { await signals.run(trapped) } }
                tasks.addTask { try await group.run() }
                try await tasks.next()
                tasks.cancelAll()
            }
        } catch { failure = error }
        await close()
        if let failure { throw failure }
    }

    private func close() async {
        record.remove()
        // Behind the last stream, and before another server may use the store.
        if !streamEnds.write(clients.ends(now: WallClock.milliseconds()), epoch: feed.epoch) {
            logger.warning("The app gets the newest events again: where its streams ended cannot be kept")
        }
        feed.close()
        if port != nil { audit.note("server.stop") }  // else it never began
        await audit.finish()
        demo?.remove()
        await library.stop()
        try? await threads.shutdownGracefully()  // nothing waits for these threads any more
        try? await replayThreads.shutdownGracefully()  // nor for these
        try? await loops.shutdownGracefully()  // nor for these
    }

    private var stateKeeper: StateKeeper {
        StateKeeper(devices: devices, record: record, ledger: feed.ledger, threads: threads, logger: logger)
    }

    private var notification: ServiceNotification { ServiceNotification(socket: configuration.notifySocket) }

    private func announce(_ port: Int, isJournal: Bool, _ put: (String) -> Void) {
        func say(_ line: String) { put(TerminalText.safe(line)) }
        let address = PairingAddress.text(host: configuration.host, port: port)
        // Before anybody asks for something: it is the first entry of this run.
        audit.note("server.start", target: address)
        listening.set(port)
        writeRecord(port)
        let now = WallClock.milliseconds()
        let entries = catalogue.entries(now: now)
        say("Discovered \(entries.count) session(s)")
        for entry in entries {
            say(
                "  \(entry.session.id)  \(entry.standing(now: now).status.rawValue)  \(entry.session.directory.workspace)"
            )
        }
        if let mintedKey {
            let isShown = !isJournal || configuration.showsKey
            say(StartLines.key(mintedKey, file: state.keyFile, isShown: isShown))
            if isShown { state.noteKeyShown() }
        }
        if configuration.showsKey, mintedKey == nil {
            say("API key: \(configuration.apiKey ?? "none required")")
        }
        tls?.announce(say, logger)
        say("Starting ralph-mobile-server on \(address)")
        if !notification.send(.ready) {
            logger.warning("The service manager cannot be told that we are ready")
        }
        if demo != nil, let live = entries.first(where: { $0.session.directory.workspace == demo?.live }) {
            say(
                StartLines.watch(
                    live.session.id, host: configuration.host, port: port, isSecure: tls != nil,
                    needsKey: configuration.apiKey != nil))
        }
    }

    private func writeRecord(_ port: Int) {
        // Of this machine is who calls by loopback's name or by an address: a name of another kind does not do.
        let host = listener.address ?? configuration.host
        if !record.write(host: host, port: port, fingerprint: tls?.fingerprint) {
            logger.warning("Tools of this user will not find the server: its record cannot be written")
        }
    }

    /// Takes up what is new in files that may change while the server runs.
    private func reload() async {
        guard let tls, await tls.reload(threads: threads, logger: logger), let port else { return }
        writeRecord(port)
        audit.note("tls.reloaded")
    }

    private func makeDemoRun() -> DemoRun? {
        guard let demo, demo.standIn != nil else { return nil }
        return DemoRun(workspace: demo.live, control: control, logger: logger)
    }

    private func makeDemoPlayer() -> [any Service] {
        guard let demo else { return [] }
        return [DemoPlayer(workspace: demo.live, lines: demo.lines, logger: logger)]
    }
}
