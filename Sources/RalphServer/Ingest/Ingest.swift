import Foundation
import Logging
import RalphFeed
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// From disk to feed: one thread that waits for changes, reads what is new, records it, and so publishes it.
///
/// Nothing is read while something read is not recorded yet: the files are the queue (design 9).
final class Ingest: Service {
    /// What the thread needs, made by the composition root.
    struct Settings: Sendable {
        var discovery: DiscoverySettings
        var tail: TailLimits
        /// The first and the longest wait before a failed append is tried again.
        var retryDelay: ClosedRange<Duration> = .milliseconds(100)...(.seconds(2))
        /// How long ``Ingest/post(_:to:)`` waits for a note to be stored.
        var noteDeadline: Duration = .seconds(5)
        /// How long the first look at the roots may take in all before the server listens without its end.
        var firstLookPatience = Ingest.firstLookPatience
        /// Called before a session is shown, on a thread that may wait for files.
        var willShow: @Sendable (SessionID) -> Void = { _ in }
    }

    struct Control {
        var wakeup: WatchWakeup?
        var isStopping = false
        /// Whether the first look at the roots is over, or has come as far as the store lets it.
        var isFirstScanOver = false
        /// Found in the first look at the roots, and then still to be read.
        var awaited: [DiscoveredSession] = []
        /// What the store has of sessions that were found, until they are shown.
        var stored: [SessionID: SavedTail] = [:]
        /// A session was begun without its stored position; what was read of it must not be stored.
        var isPositionUnknown = false
        /// What a step had read was not stored; nothing that came behind it may be.
        var isAbandoned = false
        var failure: WatchError?
    }

    /// See ``Settings/firstLookPatience``: scripts wait 10 s for `/health` (http-contract 15.1), and behind a first look that
    /// is over in time the server looks at runs for up to 3 s.
    static let firstLookPatience: Duration = .seconds(6)

    /// How long reading waits for an event loop that is at work and has more to take already: events would only lie
    /// there, and what comes meanwhile is read, stored and sent in one piece.
    private static let longestHoldBack: Duration = .milliseconds(2)

    let settings: Settings
    let feed: EventFeed
    let inbox: ControlNoteInbox
    let echoes = EchoBoard()
    let figures = IngestFigures()
    let isScanRequested = Atomic(false)
    let catalogue: SessionCatalogue
    private let onChange: @Sendable (Set<SessionID>) -> Void
    let logger: Logger
    let control = Mutex(Control())
    /// Settled when the thread has ended: nothing of the server may outlive its owner.
    private let end = Landing<Void>()
    let scanned = AsyncStream.makeStream(of: Void.self)
    /// Ends with ``scanned``, or when that takes too long.
    let answerable = AsyncStream.makeStream(of: Void.self)

    /// - Parameter onChange: told of sessions that were found, that went, or whose state or liveness changed,
    ///   after the catalogue knows; on the ingest thread, so that it must not wait.
    init(
        settings: Settings, feed: EventFeed, catalogue: SessionCatalogue, logger: Logger,
        onChange: @escaping @Sendable (Set<SessionID>) -> Void = { _ in }
    ) {
        self.settings = settings
        self.feed = feed
        self.catalogue = catalogue
        self.logger = logger
        self.onChange = onChange
        inbox = ControlNoteInbox(counters: catalogue.noteCounters)
    }

    /// Runs the thread until the service is shut down; what was read is stored before it ends.
    func run() async throws {
        do throws(ThreadError) {
            try NamedThread.start("ingest", isUrgent: true) { [self] in
                work()
                finish()
            }
        } catch {
            finish()
            throw error
        }
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await withDiscardingTaskGroup { group in
                    group.addTask { [self] in await tellTroubles() }
                    await end.settled()
                    group.cancelAll()
                }
            } onGracefulShutdown: { [self] in
                stop()
            }
        } onCancel: { [self] in
            stop()
        }
        if let failure = control.withLock({ $0.failure }) { throw failure }
    }

    /// Keeps nobody waiting who waits for the thread.
    private func finish() {
        inbox.close()
        giveFirstScanUp()
        end.settle(())
    }

    /// Says when the thread does not come back from a turn of its work, and when it has; until this is cancelled. Lets the
    /// server listen then, and when the first look at the roots has taken too long in all. Says too when the store is found
    /// damaged or gone, which only the next start mends.
    private func tellTroubles() async {
        let begun = ContinuousClock.now
        var isTold = false
        var isDamageTold = false
        // Cancelled means that the thread has ended.
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            let isLong = begun.duration(to: .now) >= settings.firstLookPatience
            if isLong || catalogue.turn.isOverdue(at: UptimeClock.nanoseconds()) { noteLateFirstScan() }
            let isStuck = catalogue.isReadingStuck()
            if isStuck, !isTold {
                logger.error("Sessions are not read on: a file system below a root may not answer")
            } else if isTold, !isStuck {
                logger.notice("Sessions are read on")
            }
            isTold = isStuck
            if !isDamageTold, let damage = feed.damage {
                logger.error("The event store is damaged or gone", metadata: ["error": "\(damage)"])
                isDamageTold = true
            }
        }
    }

    /// Ends the thread soon.
    private func stop() {
        let wakeup = control.withLock { control in
            control.isStopping = true
            return control.wakeup
        }
        wakeup?.signal()
    }

    /// Ends the thread's wait.
    func wake() { control.withLock { $0.wakeup }?.signal() }

    var isStopping: Bool { control.withLock { $0.isStopping } }

    private func work() {
        let handover = startHandover()
        defer {
            handover?.end()
            catalogue.turn.end()
        }
        guard let watcher = startWatcher(handover) else { return }
        var isFirstScan = true
        var feedProblem: StoreError?
        var rootProblems: [String: String] = [:]
        var scans = 0
        while !isStopping {
            catalogue.turn.begin()
            if isScanRequested.exchange(false, ordering: .acquiring) { watcher.requestScan() }
            // The first time all that there are come before what the store has of any.
            let step = watcher.next(timeout: isFirstScan ? .zero : .seconds(1), readsNewcomers: scans > 0) {
                feed.waitForSinks(atMost: Self.longestHoldBack)
            }
            guard !control.withLock({ $0.isPositionUnknown }) else { return }
            if let report = step.report {
                scans += 1
                tellRoots(report, after: &rootProblems)
            }
            if isFirstScan { noteAwaited(step, isFirst: scans == 1) }
            if isFirstScan, !step.found.isEmpty, inbox.isEmpty, let handover {
                handover.give(step)
                continue
            }
            handover?.settle()
            take(step, notes: takeNotes(to: watcher, scans: scans))
            show(feed.problem, after: &feedProblem)
            if isFirstScan, catalogue.report != nil, step.found.isEmpty, step.awaited.isEmpty {
                isFirstScan = false
                handover?.end()
                noteFirstScan()
            }
        }
    }

    /// Keeps in mind who was found in the first look at the roots and is still there to be read.
    private func noteAwaited(_ step: WatchStep, isFirst: Bool) {
        control.withLock { control in
            if isFirst, step.report != nil { control.awaited = step.awaited }
            if !step.gone.isEmpty { control.awaited.removeAll { step.gone.contains($0.id) } }
        }
    }

    /// `nil`: it cannot be, and ``Ingest`` fails.
    private func startWatcher(_ handover: StepHandover?) -> SessionWatcher? {
        do {
            let watcher = try SessionWatcher(
                settings: settings.discovery, tailLimits: settings.tail, logger: logger,
                saved: { [self] id in
                    handover?.settle(id)
                    return savedTail(id)
                })
            control.withLock { $0.wakeup = watcher.wakeup }
            return watcher
        } catch {
            control.withLock { $0.failure = error }
            return nil
        }
    }

    /// For the sessions of the first scan; `nil`: there is no thread for it, and each step is stored before the next one
    /// is read.
    private func startHandover() -> StepHandover? {
        do throws(ThreadError) {
            return try StepHandover { [self] in take($0, notes: []) }
        } catch {
            logger.warning(
                "Sessions are read and stored one after the other", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Stores what a step brought, and what was noted beside it, then shows it.
    private func take(_ step: WatchStep, notes: [PostedNotes]) {
        guard !control.withLock({ $0.isAbandoned }) else {
            for note in notes { note.settle(.failure(.closed)) }
            return
        }
        for session in step.found + step.changed {
            settings.willShow(session.id)
            let config = configuration(of: session)
            let stored = takeStored(of: session.id)
            catalogue.update(session) { entry in
                // One that is new is what it was when something of it was stored last, however long this takes.
                if let stored, entry.state.revision == 0 { (entry.head, entry.state) = stored }
                entry.isGone = false
                entry.config = config
                if let liveness = step.liveness[session.id] { entry.liveness = liveness }
            }
        }
        let reads = notes.isEmpty ? step.reads : step.reads + notes.map(\.read)
        let configs = configurations(ofNewRunsIn: reads)
        guard append(reads, remembered: { show(step, reads, configs) }) else {
            for note in notes { note.settle(.failure(.closed)) }
            return
        }
        if let report = step.report { catalogue.note(report) }
        tellChanges(step, reads)
        echoes.note(reads, head: feed.head(of:))
        for note in notes {
            inbox.counters.posted.wrappingAdd(note.landings.count, ordering: .relaxed)
            note.settle(.success(feed.head(of: note.read.id)?.last ?? 0))
        }
    }

    /// Shows that what was recorded cannot be written into the tables, though nothing more comes.
    private func show(_ problem: StoreError?, after shown: inout StoreError?) {
        guard problem != shown else { return }
        catalogue.storeProblem = problem?.description
        shown = problem
    }

    /// Warns once of each root that cannot be read, and says when it can again.
    private func tellRoots(_ report: DiscoveryReport, after told: inout [String: String]) {
        let problems = report.unreadableRoots.reduce(into: [:]) { $0[$1.path] = $1.reason }
        for (root, reason) in problems where told[root] != reason {
            logger.warning("A root cannot be read", metadata: ["root": "\(root)", "error": "\(reason)"])
        }
        for root in told.keys where problems[root] == nil {
            logger.notice("A root can be read again", metadata: ["root": "\(root)"])
        }
        told = problems
    }

    private func tellChanges(_ step: WatchStep, _ reads: [SessionRead]) {
        var changed = Set(step.liveness.keys)
        changed.formUnion(step.gone)
        for session in step.found { changed.insert(session.id) }
        for session in step.changed { changed.insert(session.id) }
        for read in reads where read.stateChanged { changed.insert(read.id) }
        if !changed.isEmpty { onChange(changed) }
    }

    /// Shows what a step came to, before anybody is sent an event of it, and all of a session at once: whoever sees an
    /// event finds it in the status, and the status is of the moment of its last number.
    private func show(_ step: WatchStep, _ reads: [SessionRead], _ configs: [SessionID: WorkspaceConfig?]) {
        let heads = reads.map { feed.head(of: $0.id) ?? FeedHead() }
        catalogue.update { sessions in
            for (read, head) in zip(reads, heads) {
                sessions.update(read.id) { entry in
                    entry.state = read.state
                    entry.head = head
                    entry.problems = read.problems
                    entry.unreadableLog = read.unreadableLog
                    if let config = configs[read.id] { entry.config = config }
                }
            }
            for (id, liveness) in step.liveness { sessions.update(id) { $0.liveness = liveness } }
            for id in step.gone {
                sessions.update(id) { entry in
                    entry.isGone = true
                    // Nobody looks at its lock any more; what control knows of its process stays.
                    (entry.liveness.lockHeld, entry.liveness.pid) = (false, nil)
                }
            }
        }
    }

    /// Stores reads in one transaction, trying until it works; `false` if the server stops before that.
    private func append(_ reads: [SessionRead], remembered: () -> Void) -> Bool {
        let appends = reads.compactMap(makeAppend)
        guard !appends.isEmpty else {
            remembered()
            return true
        }
        var delay = settings.retryDelay.lowerBound
        while true {
            do {
                let begun = ContinuousClock.now
                try feed.append(appends, remembered: remembered)
                figures.note(appends, of: reads, took: .now - begun)
                if catalogue.storeProblem != nil {
                    // Files kept nobody waiting.
                    catalogue.turn.begin()
                    catalogue.storeProblem = nil
                    logger.notice("The event store works again")
                }
                return true
            } catch {
                if catalogue.storeProblem == nil {
                    logger.error(
                        "Events cannot be stored; reading waits",
                        metadata: ["error": "\(LoggedError.text(error))"])
                }
                figures.noteFailure()
                catalogue.storeProblem = error.description
                beginToAnswer(canRead: true)
                guard waitToRetry(delay) else {
                    control.withLock { $0.isAbandoned = true }
                    return false
                }
                delay = min(delay * 2, settings.retryDelay.upperBound)
            }
        }
    }

    private func makeAppend(_ read: SessionRead) -> SessionAppend? {
        guard !read.batch.isEmpty || !read.checkpoints.isEmpty || read.stateChanged || !read.figures.isEmpty
        else { return nil }
        var state: [UInt8]?
        if read.stateChanged {
            do {
                state = try read.state.encodedWithoutIterations()
            } catch {
                logger.error(
                    "A session's state cannot be encoded", metadata: ["error": "\(LoggedError.text(error))"])
            }
        }
        return SessionAppend(
            id: read.id, directory: catalogue.directory(of: read.id)?.path ?? "", batch: read.batch,
            checkpoints: read.checkpoints, state: state, figures: read.figures)
    }

    /// Waits on this thread; `false` if the server stops meanwhile.
    func waitToRetry(_ delay: Duration) -> Bool {
        let deadline = ContinuousClock.now + delay
        while ContinuousClock.now < deadline {
            if isStopping { return false }
            Thread.sleep(forTimeInterval: 0.02)
        }
        return !isStopping
    }
}
