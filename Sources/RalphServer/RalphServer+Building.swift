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
        // No other ralph: its agents would be real ones.
        configuration.ralph = DemoWorkspace.standInPath
        configuration.demoLock = demo.lockPath
        configuration.stateDirectory = configuration.stateDirectory ?? demo.root + "/.state"
        return demo
    }

    static func makeListener(
        _ parts: ServerParts, loops: MultiThreadedEventLoopGroup, fanOut: StreamFanOut
    ) -> HTTPListener {
        let (configuration, feed, catalogue) = (parts.configuration, parts.feed, parts.catalogue)
        let archive = EventArchive(feed: feed, catalogue: catalogue)
        let list = SessionList(feed: feed, catalogue: catalogue)
        let table = makeTable()
        let figures = RequestFigures(table)
        let access = AccessLimits(configuration)
        let crossOrigin = CrossOriginPolicy(allowed: configuration.allowedOrigins)
        let router = makeRouter(parts, table)
        addSessionRoutes(parts, archive, list, to: router)
        addFileRoutes(parts, to: router)
        addOwnRoutes(parts, table, figures, access.counters, to: router)
        let http = HTTPServices(
            gate: makeGate(parts, crossOrigin, table, access.guesses), access: access,
            crossOrigin: crossOrigin, figures: figures, audit: parts.audit,
            limits: configuration.http,
            streams: StreamRoutes(
                feed: feed, catalogue: catalogue, clients: parts.clients, counters: parts.counters,
                limits: configuration.streams),
            table: table, responder: router.buildResponder(), logger: parts.logger,
            ready: { head, path in Self.readyAnswer(head, path, list, parts.library) })
        let streams = StreamServices(
            feed: feed, reader: StreamReader(feed: feed, archive: archive), seats: access.streams,
            threads: parts.replayThreads, seekThreads: parts.seekThreads,
            archiveThreads: parts.archiveThreads, clients: parts.clients, lent: fanOut.lent,
            limits: configuration.streams, counters: parts.counters, logger: parts.logger,
            hasEnded: { id in catalogue.entry(id)?.standing(now: WallClock.milliseconds()).isOver == true })
        return HTTPListener(
            group: loops, services: http, shards: fanOut.inboxes, streams: streams, tls: parts.tls)
    }

    /// A router without routes that says what is wrong, knows who may what, and answers once what is asked twice.
    private static func makeRouter(_ parts: ServerParts, _ table: RouteTable) -> Router<SessionRequestContext>
    {
        let router = Router(context: SessionRequestContext.self)
        router.add(middleware: ErrorMiddleware(routes: table))
        router.add(middleware: ScopeMiddleware(rights: RouteRights(table)))
        router.add(
            middleware: IdempotencyMiddleware(
                ledger: parts.feed.ledger, threads: parts.stateThreads, table: table))
        // Once more inside: a refusal is an answer that a repeated request gets again.
        router.add(middleware: ErrorMiddleware(routes: table))
        return router
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

    /// The routes of sessions: what they told, and what they are told.
    private static func addSessionRoutes(
        _ parts: ServerParts, _ archive: EventArchive, _ list: SessionList,
        to router: Router<SessionRequestContext>
    ) {
        func reader(for kind: String) -> HistoryReader {
            HistoryReader(
                feed: parts.feed, archive: archive, catalogue: parts.catalogue,
                threads: HistoryReader.Threads(
                    ring: parts.stateThreads, files: parts.historyThreads, kind: kind),
                secrets: parts.secretFiles)
        }
        let history = reader(for: "history")
        let commands = parts.makeCommands()
        SessionRoutes(
            services: SessionServices(
                feed: parts.feed, catalogue: parts.catalogue, history: history,
                newest: history.ofRing, turns: parts.makeHistoryTurns(),
                clients: parts.clients,
                list: list, threads: parts.threads, questions: parts.questions, secrets: parts.secretFiles)
        ).addRoutes(to: router)
        SessionFileRoutes(services: parts.makeSessionFiles(reader(for: "export"))).addRoutes(
            to: router)
        ControlRoutes(commands: commands, catalogue: parts.catalogue).addRoutes(to: router)
        RobotRoutes(questions: parts.questions, commands: commands).addRoutes(to: router)
        LoopRoutes(commands: parts.makeLoops(commands)).addRoutes(to: router)
        SearchRoutes(
            searching: Searching(service: parts.search, feed: parts.feed, catalogue: parts.catalogue)
        ).addRoutes(to: router)
        FigureRoutes(figures: parts.makeFigures()).addRoutes(to: router)
    }

    /// The routes of the library and of what else stands in workspaces.
    private static func addFileRoutes(_ parts: ServerParts, to router: Router<SessionRequestContext>) {
        LibraryRoutes(services: LibraryServices(library: parts.library, threads: parts.threads))
            .addRoutes(to: router)
        WorkspaceRoutes(files: parts.makeWorkspaceFiles()).addRoutes(to: router)
    }

    /// The routes about the server itself, its machine and who uses it.
    private static func addOwnRoutes(
        _ parts: ServerParts, _ table: RouteTable, _ figures: RequestFigures, _ limits: LimitCounters,
        to router: Router<SessionRequestContext>
    ) {
        let health = parts.makeHealth()
        let pairing = parts.makePairing()
        HealthRoutes(health: health, table: table).addRoutes(to: router)
        HostRoutes(sampler: parts.host).addRoutes(to: router)
        ProbeRoutes(
            readiness: Readiness(catalogue: parts.catalogue, feed: parts.feed),
            hasKey: parts.configuration.apiKey != nil, isOpenToAll: parts.configuration.isOpenToAll,
            tls: parts.tls
        ).addRoutes(to: router)
        MetricsRoutes(
            metrics: ServerMetrics(
                health: health, requests: figures, ingest: parts.ingest.figures, limits: limits,
                tls: parts.tls),
            threads: parts.ownThreads
        ).addRoutes(to: router)
        ContractRoutes(contract: ContractPages(threads: parts.ownThreads)).addRoutes(to: router)
        DeviceRoutes(
            devices: parts.devices, pairings: pairing.tickets, endings: parts.endings,
            threads: parts.stateThreads
        ).addRoutes(to: router)
        StreamTicketRoutes(tickets: parts.tickets).addRoutes(to: router)
        AuditRoutes(reader: AuditReader(path: parts.files.state.audit), threads: parts.stateThreads)
            .addRoutes(to: router)
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
