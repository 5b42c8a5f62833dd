import Logging
import NIOPosix
import RalphControl
import RalphFeed
import RalphSessions

/// How the configuration says what the parts are to be.
extension ServerParts {
    /// The search index of the feed; `nil` if it is switched off.
    static func makeSearch(
        _ configuration: ServerConfiguration, _ files: ServerFiles, ingest: Ingest, logger: Logger
    ) -> SearchService? {
        guard configuration.hasSearch else { return nil }
        let index = SearchIndex(
            SearchConfiguration(path: files.state.search), feed: files.feed, logger: logger, isHeld: true)
        return SearchService(index: index, firstScan: { _ = await ingest.waitForFirstScan() })
    }

    static func ingestSettings(
        _ configuration: ServerConfiguration, _ files: ServerFiles, _ registry: RunRegistry,
        userConfiguration: String?
    ) -> Ingest.Settings {
        var discovery = DiscoverySettings(roots: configuration.roots)
        discovery.depth = configuration.depth
        discovery.excludes = Set(configuration.excludes)
        discovery.rescanInterval = configuration.rescan
        if let fileSystem = configuration.fileSystem { discovery.fileSystem = fileSystem }
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
        tail.secrets = configuration.secretFiles(files.state)
        var settings = Ingest.Settings(discovery: discovery, tail: tail)
        settings.firstLookPatience = configuration.firstLookPatience
        settings.willShow = { id in registry.prepareConfiguration(of: id) }
        return settings
    }

    static func controlSettings(
        _ configuration: ServerConfiguration, _ files: ServerFiles, _ library: Library,
        environment: [String: String]
    ) -> ControlSettings {
        var settings = ControlSettings(
            ralph: configuration.ralph, runs: files.state.runs,
            environment: ControlSettings.childEnvironment(environment, secrets: files.keys(configuration)))
        if configuration.isDemo { settings.programAdvice = StandInCheckup.advice }
        if let lock = configuration.demoLock { settings.environment[DemoLock.variable] = lock }
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
        _ threads: FileThreads, environment: [String: String]
    ) -> Library {
        let home = ServerConfiguration.homeDirectory(environment)
        let configHome = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return Library(
            places: LibraryPlaces(
                roots: configuration.roots.map { $0.canonicalPath ?? $0 }, home: home,
                configHome: configHome ?? home.appendingPath(".config"),
                libraries: configuration.libraries.compactMap(\.canonicalPath),
                secrets: configuration.secretPaths(state),
                secretFiles: configuration.secretFiles(state),
                silent: SilentMounts(own: configuration.namedRoots + [home])),
            catalogue: catalogue, threads: threads)
    }

    static func makeSentinels(
        _ configuration: ServerConfiguration, _ ports: SentinelPorts, changes: ChangedSessions, logger: Logger
    ) -> SentinelWatch {
        SentinelWatch(
            rules: SentinelRules(settings: configuration.sentinels), ports: ports, changes: changes,
            logger: logger)
    }

    static func makeAudit(
        _ configuration: ServerConfiguration, _ files: ServerFiles, threads: NIOThreadPool, logger: Logger
    ) -> AuditLog {
        AuditLog(
            file: AuditFile(path: files.state.audit),
            rules: AuditRules(RalphServer.makeTable(), secrets: files.keys(configuration)),
            threads: threads, logger: logger)
    }
}
