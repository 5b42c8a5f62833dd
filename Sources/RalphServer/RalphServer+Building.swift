import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire

/// How the parts are put together.
extension RalphServer {
    /// All routes, in the order of `docs/http-api.md`; what is only a stream comes last.
    static func makeTable() -> RouteTable {
        let groups: [any Routes.Type] = [
            HealthRoutes.self, SessionRoutes.self, SessionFileRoutes.self, ControlRoutes.self,
            RobotRoutes.self, LoopRoutes.self, SearchRoutes.self, HostRoutes.self, ProbeRoutes.self,
            MetricsRoutes.self, ContractRoutes.self, FigureRoutes.self, LibraryRoutes.self,
            WorkspaceRoutes.self, DeviceRoutes.self, StreamTicketRoutes.self, AuditRoutes.self,
            PairingRoutes.self, PairPageRoutes.self,
        ]
        var table = RouteTable()
        for group in groups { group.addTable(to: &table) }
        for path in StreamRoutes.paths { table.add("GET", path, .watch) }
        return table
    }

    /// A demo's own root and program, put into `configuration`; `nil`: it is none.
    static func makeDemo(_ configuration: inout ServerConfiguration) throws -> DemoWorkspace? {
        guard configuration.isDemo else { return nil }
        let demo = try DemoWorkspace(copying: configuration.roots[0])
        configuration.roots = [demo.root]
        configuration.ralph = demo.standIn ?? configuration.ralph
        configuration.stateDirectory = configuration.stateDirectory ?? demo.root + "/.state"
        return demo
    }

    /// The search index of `feed`; `nil` if it is switched off.
    static func makeSearch(
        _ configuration: ServerConfiguration, _ state: StateDirectory, feed: EventFeed, ingest: Ingest,
        logger: Logger
    ) -> SearchService? {
        guard configuration.hasSearch else { return nil }
        let index = SearchIndex(
            SearchConfiguration(path: state.search), feed: feed, logger: logger, isHeld: true)
        return SearchService(index: index, firstScan: { _ = await ingest.waitForFirstScan() })
    }

    static func ingestSettings(
        _ configuration: ServerConfiguration, _ registry: RunRegistry, userConfiguration: String?,
        secrets: [String]
    ) -> Ingest.Settings {
        var discovery = DiscoverySettings(roots: configuration.roots)
        discovery.depth = configuration.depth
        discovery.excludes = Set(configuration.excludes)
        discovery.rescanInterval = configuration.rescan
        discovery.agentOutput = { directory in registry.outputs(of: directory) }
        discovery.workspaces = { registry.workspaces }
        discovery.configurations.user = userConfiguration
        let program = configuration.ralph
        discovery.configurations.run = { session in
            ConfiguredRun(of: session, program: program) ?? registry.configuredRun(of: session)
        }
        var tail = TailLimits()
        tail.firstSightLines = configuration.ring
        tail.openFiles = configuration.openFiles
        tail.secrets = secrets
        return Ingest.Settings(discovery: discovery, tail: tail)
    }

    static func controlSettings(
        _ configuration: ServerConfiguration, _ files: ServerFiles, _ library: Library,
        environment: [String: String]
    ) -> ControlSettings {
        var settings = ControlSettings(
            ralph: configuration.ralph, runs: files.state.runs,
            environment: ControlSettings.childEnvironment(environment, secrets: files.keys(configuration)))
        settings.descriptors = configuration.childDescriptors
        settings.mask = configuration.childMask
        settings.places = library.places.bases
        return settings
    }

    /// Tells what somebody may have to put right.
    static func warn(_ configuration: ServerConfiguration, _ settings: ControlSettings, _ logger: Logger) {
        for root in configuration.roots {
            guard let workspace = SessionDirectory.workspace(of: root) else { continue }
            logger.warning(
                "A root is where Ralph keeps a session: that one is found with the directory above it as a root",
                metadata: ["root": "\(root)", "directory": "\(workspace)"])
        }
        if let problem = settings.programProblem {
            logger.warning("Runs cannot be started", metadata: ["reason": "\(problem)"])
        }
    }

    static func makeLibrary(
        _ configuration: ServerConfiguration, _ catalogue: SessionCatalogue, _ state: StateDirectory,
        environment: [String: String]
    ) -> Library {
        let home = ServerConfiguration.homeDirectory(environment)
        let configHome = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return Library(
            places: LibraryPlaces(
                roots: configuration.roots.map { $0.canonicalPath ?? $0 }, home: home,
                configHome: configHome ?? home.appendingPath(".config"),
                libraries: configuration.libraries.compactMap(\.canonicalPath),
                secrets: configuration.secretPaths(state)),
            catalogue: catalogue)
    }

    static func makeListener(
        _ parts: ServerParts, loops: MultiThreadedEventLoopGroup, fanOut: StreamFanOut
    ) -> HTTPListener {
        let (configuration, feed, catalogue) = (parts.configuration, parts.feed, parts.catalogue)
        let clients = parts.clients
        let archive = EventArchive(feed: feed, catalogue: catalogue)
        let list = SessionList(feed: feed, catalogue: catalogue)
        let table = makeTable()
        let router = Router(context: SessionRequestContext.self)
        router.add(middleware: ErrorMiddleware(routes: table))
        router.add(middleware: ScopeMiddleware(rights: RouteRights(table)))
        router.add(
            middleware: IdempotencyMiddleware(ledger: feed.ledger, threads: parts.threads, table: table))
        // Once more inside: a refusal is an answer that a repeated request gets again.
        router.add(middleware: ErrorMiddleware(routes: table))
        let health = parts.makeHealth()
        HealthRoutes(health: health, table: table).addRoutes(to: router)
        let access = AccessLimits(configuration)
        let history = HistoryReader(
            feed: feed, archive: archive, catalogue: catalogue, threads: parts.replayThreads,
            secrets: parts.secretFiles)
        SessionRoutes(
            services: SessionServices(
                feed: feed, catalogue: catalogue, history: history,
                newest: HistoryReader(
                    feed: feed, archive: archive, catalogue: catalogue, threads: parts.threads,
                    secrets: parts.secretFiles),
                turns: parts.makeHistoryTurns(), clients: clients, list: list, threads: parts.threads,
                questions: parts.questions, secrets: parts.secretFiles)
        ).addRoutes(to: router)
        SessionFileRoutes(services: parts.files(history)).addRoutes(to: router)
        ControlRoutes(commands: parts.makeCommands(), catalogue: catalogue).addRoutes(to: router)
        RobotRoutes(questions: parts.questions, commands: parts.makeCommands()).addRoutes(to: router)
        LoopRoutes(commands: parts.makeLoops()).addRoutes(to: router)
        SearchRoutes(searching: Searching(service: parts.search, feed: feed, catalogue: catalogue))
            .addRoutes(to: router)
        let figures = RequestFigures(table)
        let pairing = parts.makePairing()
        addOwnRoutes(parts, health, figures, access.counters, pairing, to: router)
        let crossOrigin = CrossOriginPolicy(allowed: configuration.allowedOrigins)
        FigureRoutes(figures: parts.makeFigures()).addRoutes(to: router)
        LibraryRoutes(services: LibraryServices(library: parts.library, threads: parts.threads))
            .addRoutes(to: router)
        WorkspaceRoutes(files: parts.makeWorkspaceFiles()).addRoutes(to: router)
        DeviceRoutes(
            devices: parts.devices, pairings: pairing.tickets, endings: parts.endings, threads: parts.threads
        ).addRoutes(to: router)
        StreamTicketRoutes(tickets: parts.tickets).addRoutes(to: router)
        AuditRoutes(reader: parts.auditReader, threads: parts.threads).addRoutes(to: router)
        let http = HTTPServices(
            gate: makeGate(parts, crossOrigin, table, access.guesses), access: access,
            crossOrigin: crossOrigin, figures: figures, audit: parts.audit,
            limits: configuration.http,
            streams: StreamRoutes(
                feed: feed, catalogue: catalogue, clients: clients, counters: parts.counters,
                limits: configuration.streams),
            table: table, responder: router.buildResponder(), logger: parts.logger,
            ready: { head, path in Self.readyAnswer(head, path, list, parts.library) })
        let streams = StreamServices(
            feed: feed, reader: StreamReader(feed: feed, archive: archive), seats: access.streams,
            threads: parts.replayThreads,
            clients: clients, lent: fanOut.lent,
            limits: configuration.streams, counters: parts.counters, logger: parts.logger,
            hasEnded: { id in catalogue.entry(id)?.standing(now: WallClock.milliseconds()).isOver == true })
        return HTTPListener(
            group: loops, services: http, shards: fanOut.inboxes, streams: streams, tls: parts.tls)
    }

    /// Who may ask for what.
    private static func makeGate(
        _ parts: ServerParts, _ crossOrigin: CrossOriginPolicy, _ table: RouteTable, _ guesses: GuessGuard
    ) -> AccessGate {
        let configuration = parts.configuration
        let settings = AccessGate.Settings(
            key: configuration.apiKey, isOpenToAll: configuration.isOpenToAll,
            allowsQueryKey: configuration.allowsQueryKey,
            allowedHosts: configuration.allowedHosts + configuration.boundName,
            trustedProxies: configuration.trustedProxies.compactMap(AddressRange.init),
            crossOrigin: crossOrigin)
        return AccessGate(
            settings, localKey: parts.localKey, table: table, devices: parts.devices, tickets: parts.tickets,
            guesses: guesses)
    }

    /// The routes about the server itself and its machine.
    private static func addOwnRoutes(
        _ parts: ServerParts, _ health: ServerHealth, _ figures: RequestFigures, _ limits: LimitCounters,
        _ pairing: Pairing, to router: Router<SessionRequestContext>
    ) {
        HostRoutes(sampler: parts.host).addRoutes(to: router)
        ProbeRoutes(
            readiness: Readiness(catalogue: parts.catalogue, feed: parts.feed),
            hasKey: parts.configuration.apiKey != nil, isOpenToAll: parts.configuration.isOpenToAll,
            tls: parts.tls
        ).addRoutes(to: router)
        MetricsRoutes(
            metrics: ServerMetrics(
                health: health, requests: figures, ingest: parts.ingestFigures, limits: limits),
            threads: parts.threads
        ).addRoutes(to: router)
        ContractRoutes(contract: ContractPages(threads: parts.threads)).addRoutes(to: router)
        PairingRoutes(pairing: pairing, audit: parts.audit).addRoutes(to: router)
        PairPageRoutes(pairing: pairing, audit: parts.audit).addRoutes(to: router)
    }

    /// What needs no waiting: the probe, which must answer however busy everything is, and the list while it
    /// is made already.
    private static func readyAnswer(
        _ head: HTTPRequestHead, _ path: RequestPath, _ list: SessionList, _ library: Library
    ) -> Answer? {
        guard head.method == .GET else { return nil }
        switch path.path {
        case "/health":
            return MediaRanges(head.headers["accept"]).prefersReports ? nil : Answer.healthy
        case "/livez": return Answer.healthy
        case "/api/sessions": return list.ready().map(Answer.init(json:))
        default:
            guard path.query == nil, let list = LibraryList(path: path.raw) else { return nil }
            return library.ready(list).map(Answer.init(json:))
        }
    }
}
