import Logging
import RalphFeed

/// What the server keeps in its state directory, opened.
struct ServerFiles: Sendable {
    let state: StateDirectory
    /// The key if it was made just now, so that nobody has seen it.
    let mintedKey: String?
    let record: RunningRecord
    let keyFiles: KeyFiles
    /// `nil`: the server speaks plain HTTP.
    let tls: TLSSetup?
    let feed: EventFeed
    let streamEnds: StreamEndsFile
    let devices: DeviceBook

    /// Opens the store, and puts the stored key into `configuration` where one is needed and none is given.
    ///
    /// - Throws: ``ConfigurationProblem`` or ``StoreError``.
    init(
        _ configuration: inout ServerConfiguration, environment: [String: String], logger: Logger
    ) throws {
        let state = try StateDirectory(
            path: configuration.stateDirectory
                ?? ServerConfiguration.defaultStateDirectory(
                    root: configuration.roots[0], environment: environment))
        self.state = state
        var feedConfiguration = FeedConfiguration(path: state.store)
        feedConfiguration.ring = configuration.ring
        feed = try EventFeed(feedConfiguration, logger: logger)
        record = RunningRecord(path: state.record)
        streamEnds = StreamEndsFile(path: state.streamEnds)
        // Behind the store's lock: what another server made or revoked until it ended is there.
        do {
            let keyFiles = try KeyFiles(configuration.keyFileSettings, record: state.keyFiles)
            (mintedKey, tls, devices) = try Self.open(state, keyFiles, &configuration)
            self.keyFiles = keyFiles
        } catch {
            feed.close()
            throw error
        }
    }

    /// - Returns: the key, if it was made just now, the certificate and the devices.
    private static func open(
        _ state: StateDirectory, _ keyFiles: KeyFiles, _ configuration: inout ServerConfiguration
    ) throws -> (String?, TLSSetup?, DeviceBook) {
        var minted: String?
        if configuration.apiKey == nil, !configuration.isLoopback, !configuration.isOpenToAll {
            let (key, isNew) = try state.key()
            configuration.apiKey = key
            if isNew { minted = key }
        }
        let tls = try configuration.tls.map { source throws(ConfigurationProblem) in
            try TLSSetup(source, state: state, keyFiles: keyFiles)
        }
        return (minted, tls, try DeviceBook(path: state.devices))
    }

    /// The keys of `configuration` and of this machine's tools: nobody else may see them.
    func keys(_ configuration: ServerConfiguration) -> [String] {
        [configuration.apiKey, record.key].compactMap { $0 }
    }
}
