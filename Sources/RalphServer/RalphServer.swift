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

/// The server: configuration in, running services out. What it consists of behind its listener is ``ServerParts``.
package final class RalphServer: Sendable {
    let parts: ServerParts
    private let listener: HTTPListener
    let loops: MultiThreadedEventLoopGroup
    private let demo: DemoWorkspace?

    private var configuration: ServerConfiguration { parts.configuration }
    private var files: ServerFiles { parts.files }
    private var logger: Logger { parts.logger }

    /// Opens the store and builds every part; nothing runs yet.
    ///
    /// - Throws: ``ConfigurationProblem`` or ``StoreError`` with a sentence for the person who started it.
    package convenience init(
        _ given: ServerConfiguration, environment: [String: String], logger: Logger
    ) throws {
        var configuration = given
        let demo = try Self.makeDemo(&configuration)
        do {
            try self.init(configuration, demo, environment: environment, logger: logger)
        } catch {
            demo?.remove()
            throw error
        }
    }

    private init(
        _ given: ServerConfiguration, _ demo: DemoWorkspace?, environment: [String: String], logger: Logger
    ) throws {
        var configuration = given
        let files: ServerFiles
        do {
            files = try ServerFiles(&configuration, environment: environment, logger: logger)
        } catch let error as StoreError {
            throw Self.startProblem(error, configuration)
        }
        self.demo = demo
        parts = try ServerParts(configuration, files, environment: environment, logger: logger)
        loops = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
        let feed = files.feed
        parts.clients.add(files.streamEnds.take(epoch: feed.epoch), now: WallClock.milliseconds()) { id in
            feed.head(of: id)?.last
        }
        let fanOut = StreamFanOut(loops: System.coreCount, maximumLent: configuration.streams.maximumLent)
        listener = Self.makeListener(parts, loops: loops, fanOut: fanOut)
        connect(fanOut)
    }

    /// What to say of a store that cannot be opened. Where another server has it, the port as well if that is taken too:
    /// whoever starts the same twice meets both, and scripts look for the port (http-contract 15.1).
    private static func startProblem(_ error: StoreError, _ configuration: ServerConfiguration) -> any Error {
        let (host, port) = (configuration.host, configuration.port)
        let taken = ListenError(host: host, port: port, errnoCode: EADDRINUSE)
        guard case .inUse = error, ListeningSocket.problem(host: host, port: port) == taken.reason else {
            return error
        }
        return ConfigurationProblem("\(taken) \(error)")
    }

    /// Lets the streams of the listener know what concerns them, and the questions who was revoked.
    private func connect(_ fanOut: StreamFanOut) {
        parts.endings.connect(
            ofSession: { [weak listener] id, seq in await listener?.endStreams(of: id, after: seq) },
            ofDevice: { [weak listener, questions = parts.questions] device in
                questions.noteRevocation()
                await listener?.end(device)
            })
        fanOut.connect { [weak listener, counters = parts.counters] index in
            counters.wakeups.add(1, ordering: .relaxed)
            listener?.drainStreams(ofLoop: index)
        }
        if !fanOut.lent.isQueued {
            logger.info("The kernel offers no queue for writes: each socket takes a system call")
        }
        files.feed.addSink(fanOut)
    }

    /// The port bound, once it is.
    package var port: Int? { parts.listening.number }

    /// The routes of the whole interface, `METHOD /path`.
    package static var routes: [String] { makeTable().routes.map { "\($0.method) \($0.path)" } }

    /// Runs until a signal or cancellation; returns when everything is stored and closed.
    ///
    /// - Parameters:
    ///   - trapped: the signals of the process, if they are this server's to handle: trapped before anybody can know that
    ///     it runs.
    ///   - isJournal: whether a journal keeps the lines; a new key is not told to one.
    ///   - say: takes the lines that scripts rely on (http-contract 15.1).
    package func run(
        signals trapped: TrappedSignals?, isJournal: Bool = false, say: @escaping @Sendable (String) -> Void
    ) async throws {
        for pool in parts.pools + [parts.stateThreads] { pool.start() }
        parts.library.start()
        let demoRun = makeDemoRun()
        let early = EarlyEnd(ingest: parts.ingest)
        let http = HTTPService(
            listener: listener, host: configuration.host, port: configuration.port,
            didStart: { [self] port in announce(port, isJournal: isJournal, early, say) },
            waitUntilReady: { [parts] in
                await parts.ingest.waitToAnswer()
                if parts.catalogue.isFirstLookLate { return !early.isEnding }
                await parts.control.waitForSweep()
                await demoRun?.waitForStart()
                return await parts.ingest.waitForFirstScan() && !early.isEnding
            })
        let services = ServiceRun(
            parts.services + [http] + (demoRun.map { [$0] } ?? makeDemoPlayer()), early, logger: logger)
        let signals = SignalService(
            logger: logger, reload: { [self] in await reload(early) },
            shutDown: { [notification] in
                HurriedProcess.begin()
                early.begin()
                notification.send(.stopping)
                await services.end()
            })
        // Ended with the services, or left to the end of the process.
        let handling = trapped.map { trapped in Task<Void, Never> { await signals.run(trapped) } }
        var failure: (any Error)?
        do { try await services.run() } catch { failure = error }
        handling?.cancel()
        // A certificate may lie where nothing answers.
        await wait { await handling?.value }
        await close()
        if let failure { throw failure }
    }

    private func close() async {
        files.record.remove()
        if port != nil { parts.audit.note("server.stop") }  // else it never began
        // Beside each other: a busy disk lets each wait.
        await withDiscardingTaskGroup { ends in
            ends.addTask { [self] in
                await wait { [self] in
                    // Without these threads it never began, and there were no streams.
                    try? await parts.stateThreads.runIfActive { [self] in keepStreamEnds() }
                }
            }
            ends.addTask { [self] in await wait { [parts] in await parts.audit.finish() } }
            ends.addTask { [self] in await wait { [parts] in parts.library.stop() } }
            for pool in parts.pools {
                ends.addTask { [self] in await end(pool) }
            }
        }
        // Behind all that is written here: a demo's state lies in it.
        demo?.remove()
        await end(parts.stateThreads)
        // Behind everybody who writes here: another server may begin now.
        await wait { [feed = files.feed] in
            await withCheckedContinuation { closed in
                DispatchQueue.global().async {
                    feed.close()
                    closed.resume()
                }
            }
        }
        // Nothing waits for these any more.
        await wait { [loops] in try? await loops.shutdownGracefully() }
    }

    /// Behind the last stream, and before another server may use the store.
    private func keepStreamEnds() {
        let ends = parts.clients.ends(now: WallClock.milliseconds())
        guard !files.streamEnds.write(ends, epoch: files.feed.epoch) else { return }
        logger.warning("The app gets the newest events again: where its streams ended cannot be kept")
    }

    private func end(_ pool: NIOThreadPool) async {
        // Nothing waits for these threads any more.
        await wait { try? await pool.shutdownGracefully() }
    }

    /// Waits for `work`, also when this task is cancelled, but not for ever for a file system that does not answer.
    private func wait(for work: @escaping @Sendable () async -> Void) async {
        await Landing.wait(atMost: .seconds(5), for: work)
    }

    private var notification: ServiceNotification { ServiceNotification(socket: configuration.notifySocket) }

    private func announce(_ port: Int, isJournal: Bool, _ end: EarlyEnd, _ put: (String) -> Void) {
        func say(_ line: String) { put(TerminalText.safe(line)) }
        let address = PairingAddress.text(host: configuration.host, port: port)
        // Before anybody asks for something: it is the first entry of this run.
        parts.audit.note("server.start", target: address)
        parts.listening.set(port)
        writeRecord(port)
        let now = WallClock.milliseconds()
        let isKnown = !parts.catalogue.isFirstLookLate
        let entries = parts.catalogue.entries(now: now)
        say("Discovered \(entries.count) session(s)\(isKnown ? "" : " so far")")
        for entry in entries {
            say(
                "  \(entry.session.id)  \(entry.standing(now: now).status.rawValue)  \(entry.session.directory.workspace)"
            )
        }
        if let mintedKey = files.mintedKey {
            let isShown = !isJournal || configuration.showsKey
            say(StartLines.key(mintedKey, file: files.state.keyFile, isShown: isShown))
            if isShown { files.state.noteKeyShown() }
        }
        if configuration.showsKey, files.mintedKey == nil {
            say("API key: \(configuration.apiKey ?? "none required")")
        }
        files.tls?.announce(say, logger)
        say("Starting ralph-mobile-server on \(address)")
        if !end.isEnding, !notification.send(.ready) {
            logger.warning("The service manager cannot be told that we are ready")
        }
        if demo != nil, let live = entries.first(where: { $0.session.directory.workspace == demo?.live }) {
            say(
                StartLines.watch(
                    live.session.id, host: configuration.host, port: port, isSecure: files.tls != nil,
                    needsKey: configuration.apiKey != nil))
        }
    }

    private func writeRecord(_ port: Int) {
        // Of this machine is who calls by loopback's name or by an address: a name of another kind does not do.
        let host = listener.address ?? configuration.host
        if !files.record.write(host: host, port: port, fingerprint: files.tls?.fingerprint) {
            logger.warning("Tools of this user will not find the server: its record cannot be written")
        }
    }

    /// Takes up what is new in files that may change while the server runs.
    private func reload(_ end: EarlyEnd) async {
        // The record goes with the server, however late this was read.
        guard let tls = files.tls, await tls.reload(threads: parts.threads, logger: logger), let port,
            !end.isEnding
        else {
            return
        }
        writeRecord(port)
        parts.audit.note("tls.reloaded")
    }

    private func makeDemoRun() -> DemoRun? {
        guard let demo, demo.standIn != nil else { return nil }
        return DemoRun(workspace: demo.live, control: parts.control, logger: logger)
    }

    private func makeDemoPlayer() -> [any Service] {
        guard let demo else { return [] }
        return [DemoPlayer(workspace: demo.live, lines: demo.lines, logger: logger)]
    }
}
