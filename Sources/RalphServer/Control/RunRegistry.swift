import Foundation
import Logging
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import Synchronization

/// The stored runs of all sessions, in memory and in the ledger, and what the catalogue shows of them.
///
/// There before the first scan, so that a restarted server knows at once what is paused and where output lies.
final class RunRegistry: Sendable {
    private struct State {
        var runs: [SessionID: StoredRun] = [:]
        /// The figures of runs that are shown, and that nothing could be stored of yet.
        var unsaved: [SessionID: FigureDays] = [:]
        var orphans: [SessionID: [Int32]] = [:]
        /// What runs go by, and which run's files told so.
        var configurations: [SessionID: (place: ConfigurationPlace, config: WorkspaceConfig?)] = [:]
    }

    /// Where a run's configuration is read.
    private struct ConfigurationPlace: Equatable {
        let startedAt: Int64?
        let layers: ConfigurationLayers?

        init(_ record: RunRecord) {
            startedAt = record.startedAt
            layers = record.configuration
        }
    }

    private let ledger: ControlLedger
    private let catalogue: SessionCatalogue
    private let load: @Sendable (ConfigurationLayers) -> WorkspaceConfig?
    private let state = Mutex(State())
    /// Held while a run is read, changed and stored.
    private let change = Mutex(())

    /// Loads what is stored; of the configurations nothing yet, which may lie where nothing answers.
    ///
    /// - Parameters:
    ///   - userConfiguration: see ``ConfigurationSources/user``.
    ///   - load: reads what a run goes by; `nil`: from its files.
    /// - Throws: ``StoreError``. A run that no longer decodes is logged and begins anew.
    init(
        ledger: ControlLedger, catalogue: SessionCatalogue, userConfiguration: String? = nil, logger: Logger,
        load: (@Sendable (ConfigurationLayers) -> WorkspaceConfig?)? = nil
    ) throws(StoreError) {
        self.ledger = ledger
        self.catalogue = catalogue
        self.load = load ?? { WorkspaceConfig.load($0, user: userConfiguration) }
        for (id, value) in try ledger.runs() {
            do {
                let run = try JSONDecoder().decode(StoredRun.self, from: Data(value))
                state.withLock { $0.runs[id] = run }
                show(id)
            } catch {
                logger.error(
                    "A stored run cannot be read",
                    metadata: ["session.id": "\(id)", "error": "\(LoggedError.text(error))"])
            }
        }
    }

    /// All sessions with a stored run.
    var sessions: [SessionID] { state.withLock { Array($0.runs.keys) } }

    func run(_ id: SessionID) -> StoredRun? { state.withLock { $0.runs[id] } }

    /// Stores a record, then shows it. Synchronous: one small transaction.
    ///
    /// - Parameters:
    ///   - isObserved: what it says is so already: it is shown also where this throws, and stored as soon as that can be
    ///     done, see ``storeUnsaved()``.
    ///   - isWanted: asked when nobody else can store any more before this is; `false`: nothing is stored.
    func save(
        _ record: RunRecord, isObserved: Bool = false, if isWanted: () -> Bool = { true }
    ) throws {
        guard let id = SessionID(record.session) else { return }
        // Others store meanwhile: a run's configuration may lie where nothing answers.
        defer { prepareConfiguration(of: id) }
        try change.withLock { _ in
            guard isWanted() else { return }
            let now = WallClock.milliseconds()
            let elapsed = catalogue.entry(id)?.elapsedMilliseconds(now: now) ?? 0
            var run = run(id) ?? StoredRun(record: record)
            let figures = run.take(record, elapsed: elapsed, now: now)
            try store(run, id, figures: figures, isObserved: isObserved)
        }
    }

    /// Tries to store what was found out while nothing could be stored.
    func storeUnsaved() {
        for id in state.withLock({ Array($0.unsaved.keys) }) {
            let isStored = change.withLock { _ in
                guard let run = run(id) else { return true }
                return (try? store(run, id)) != nil  // tried again, and so are the others
            }
            guard isStored else { return }
        }
    }

    /// Hides a session until a run works in it again.
    func forget(_ session: DiscoveredSession) throws {
        try change.withLock { _ in
            var run = run(session.id) ?? StoredRun(record: .past(in: session))
            run.isForgotten = true
            // Rows may bear a time that is still to come.
            let latest = catalogue.entry(session.id)?.latestStart ?? .min
            run.forgottenAt = max(WallClock.milliseconds(), latest)
            try store(run, session.id)
        }
    }

    /// Notes which agents of a dead run live on.
    func note(orphans: [Int32], of id: SessionID) {
        let isNew = state.withLock { state in
            let known = state.orphans[id] ?? []
            state.orphans[id] = orphans.isEmpty ? nil : orphans
            return known != orphans
        }
        if isNew { change.withLock { _ in show(id) } }
    }

    /// The agents of dead runs that live on.
    func orphans(of id: SessionID) -> [Int32] { state.withLock { $0.orphans[id] ?? [] } }

    /// All sessions with such agents.
    var orphaned: [SessionID] { state.withLock { Array($0.orphans.keys) } }

    // MARK: What discovery asks

    /// Reads what the stored run of a session goes by, if nobody has yet: a session is shown with it. Waits for files.
    func prepareConfiguration(of id: SessionID) {
        if readConfiguration(of: id) { change.withLock { _ in show(id) } }
    }

    /// Files with the output of a session's runs, oldest first, that were not removed.
    func outputs(of directory: SessionDirectory) -> [String] {
        let outputs = state.withLock { $0.runs[directory.id]?.outputs ?? [] }
        return outputs.filter { output in
            let run = (output as NSString).deletingLastPathComponent
            guard EntryStatus.isAbsent(run) else { return true }
            // A removal leaves the directory around it: without that one it is out of sight, and comes back.
            return EntryStatus.isAbsent((run as NSString).deletingLastPathComponent)
        }
    }

    /// Whether the output at `path` is kept for a session, which is there and not forgotten: runs in worktrees have theirs
    /// beside those of the main workspace.
    func keeps(output path: String) -> Bool {
        let directories = state.withLock { state in
            state.runs.values.filter { !$0.isForgotten && $0.outputs.contains(path) }.map(\.record.directory)
        }
        return directories.contains { !EntryStatus.isAbsent($0) }
    }

    /// Workspaces that we started runs in.
    var workspaces: [String] {
        let workspaces = state.withLock { state in
            state.runs.values.compactMap { run in
                run.record.plan == nil ? nil : run.record.directory.pathParts.map { PathKey($0.parent) }
            }
        }
        return Set(workspaces).sorted().map(\.path)
    }

    /// The run that works in a session, or that its lock tells of, where no process there says what it was started with;
    /// `nil`: it is another one, or the workspace's `ralph.yml` tells as much.
    func configuredRun(of session: DiscoveredSession) -> ConfiguredRun? {
        guard let record = run(session.id)?.record, let configuration = record.configuration else {
            return nil
        }
        if let process = record.process, process.isAlive {
            return ConfiguredRun(process, configuration: configuration)
        }
        // A worktree loop locks nothing.
        guard session.takesLock else { return nil }
        var probe = LivenessProbe()
        guard let started = probe.liveness(of: session).lockStarted else { return nil }
        let isItsLock =
            record.process.map { $0.pid == probe.lastHolder(of: session.directory) }
            ?? record.exit.map { started <= $0.at } ?? false
        return isItsLock ? ConfiguredRun(run: "locked \(started)", configuration: configuration) : nil
    }

    private func store(
        _ run: StoredRun, _ id: SessionID, figures: FigureDays = FigureDays(), isObserved: Bool = false
    ) throws {
        let unsaved = state.withLock { $0.unsaved[id] }
        guard unsaved != nil || run != self.run(id) else { return }
        var figures = figures
        if let unsaved { figures.add(unsaved) }
        do {
            try ledger.saveRun(id, Array(try JSONEncoder().encode(run)), figures: figures)
        } catch {
            if isObserved { take(run, id, unsaved: figures) }
            throw error
        }
        take(run, id, unsaved: nil)
    }

    private func take(_ run: StoredRun, _ id: SessionID, unsaved: FigureDays?) {
        state.withLock { ($0.runs[id], $0.unsaved[id]) = (run, unsaved) }
        show(id)
    }

    private func show(_ id: SessionID) {
        let (run, orphans, known) = state.withLock { state in
            (state.runs[id], state.orphans[id] ?? [], state.configurations[id])
        }
        let overlay = run.map { run in
            // That of the run before tells nothing of this one, nor does the workspace's.
            let isRead = known?.place == ConfigurationPlace(run.record)
            return RunOverlay(
                run, orphans: orphans, configuration: isRead ? known?.config : nil,
                isUnread: !isRead && run.record.configuration != nil)
        }
        catalogue.overlay(id, overlay)
    }

    /// Reads what a run goes by, once: another text in the same file is for the runs to come. Under no lock: a file system
    /// may not answer.
    ///
    /// - Returns: whether there is something new to be shown.
    private func readConfiguration(of id: SessionID) -> Bool {
        let (place, known) = state.withLock { state in
            (state.runs[id].map { ConfigurationPlace($0.record) }, state.configurations[id]?.place)
        }
        guard let place, place != known else { return false }
        let config = place.layers.flatMap(load)
        // Of the user's alone the workspace's own tells as well.
        let isOwn = config?.hasFile == true || place.layers?.hats != nil
        return state.withLock { state in
            // Another run may have come meanwhile.
            guard let run = state.runs[id], ConfigurationPlace(run.record) == place else { return false }
            state.configurations[id] = (place, isOwn ? config : nil)
            return true
        }
    }
}

extension RunRecord {
    /// The record of a session that no run is known of; if one is alive, a controller adopts it.
    static func past(in session: DiscoveredSession) -> RunRecord {
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = .ended
        return record
    }
}
