import Foundation
import Logging
import RalphControl
import RalphFeed
import RalphSessions
import RalphWire
import ServiceLifecycle
import Synchronization

/// Looking after runs.
extension ControlService {
    /// Runs that nothing is going on with are looked at this many a second, in turn.
    private static let quietLooks = 16
    /// Runs of a former server that are looked at at the same time.
    private static let firstLooks = 64
    /// How long the sweep waits for looks; those that take longer go on beside it.
    private static let lookLimit = Duration.seconds(2)
    /// The shortest time between two looks at what changed.
    private static let restBetweenLooks = Duration.milliseconds(20)
    /// Sessions without a process that are searched for stray agents at the start, newest first.
    private static let strayLooks = 32

    /// Finds the runs of a former server again, and what became of those that are gone.
    func sweep() async {
        let before = Dictionary(
            uniqueKeysWithValues: registry.sessions.map { ($0, registry.run($0)?.record.phase) })
        await Landing.wait(atMost: Self.lookLimit) { [self] in await observe(Array(before.keys)) }
        let held = catalogue.held
        await Landing.wait(atMost: Self.lookLimit) { [self] in
            for id in held where registry.run(id) == nil && !isEnding.load(ordering: .relaxed) {
                await look(at: id)
            }
        }
        if isEnding.load(ordering: .relaxed) { return }
        await searchStrayAgents()
        tell(before, running: held.count)
    }

    private func tell(_ before: [SessionID: RunRecord.Phase?], running: Int) {
        var found = ControlReport()
        for (id, before) in before {
            guard let after = registry.run(id)?.record else { continue }
            switch after.phase {
            case .halted: found.paused += 1
            case .suspended: (found.paused, found.adopted) = (found.paused + 1, found.adopted + 1)
            case .starting, .running, .pausing, .resuming, .stopping: found.adopted += 1
            case .ended: if let before, ![.ended, .halted].contains(before) { found.ended_while_away += 1 }
            }
        }
        found.running = running
        found.orphans = registry.orphaned.reduce(0) { $0 + registry.orphans(of: $1).count }
        if found != ControlReport() {
            logger.info("Runs were looked at", metadata: Self.metadata(found))
        }
        report.withLock { report in
            // What was counted meanwhile stays.
            (found.output_freed_bytes, found.output_uncapped) =
                (report.output_freed_bytes, report.output_uncapped)
            report = found
        }
    }

    private static func metadata(_ report: ControlReport) -> Logger.Metadata {
        [
            "control.adopted": "\(report.adopted)", "control.running": "\(report.running)",
            "control.paused": "\(report.paused)", "control.orphans": "\(report.orphans)",
            "control.ended": "\(report.ended_while_away)",
        ]
    }

    /// Has each run of a former server looked at, some at a time; begins with no further one when the server ends.
    private func observe(_ sessions: [SessionID]) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, id) in sessions.enumerated() {
                if index >= Self.firstLooks { _ = await group.next() }
                // What a look finds out could not be told any more; the next server finds it.
                if isEnding.load(ordering: .relaxed) { break }
                group.addTask { [self] in
                    await showDirectoryless(id)
                    // Its directory is gone, and the run with it: there is nothing to look at.
                    guard let controller = try? controller(for: id) else { return }
                    await controller.observe()
                    noteOrphans(of: id)
                }
            }
        }
    }

    /// Lists a run that lives on though no session was found in its directory, which was deleted, say, so that it can be
    /// stopped. What lies below no root any more is nobody's business here.
    private func showDirectoryless(_ id: SessionID) async {
        guard catalogue.entry(id) == nil, let record = registry.run(id)?.record,
            record.process?.isAlive == true || record.agents.contains(where: \.isAlive),
            (ingest.settings.discovery.roots + (catalogue.report?.roots ?? []))
                .contains(where: record.directory.isPath(inside:))
        else { return }
        let directory = SessionDirectory(
            path: record.directory, workspace: (record.directory as NSString).deletingLastPathComponent,
            layout: .ralph)
        guard directory.id == id else { return }
        // Where nothing answers it is listed without its configuration.
        try? await threads.run(at: directory.workspace) { [registry] in registry.prepareConfiguration(of: id)
        }
        let head = feed.head(of: id) ?? FeedHead()
        let state = ingest.storedState(of: id)
        catalogue.insert(DiscoveredSession(directory: directory)) { entry in
            entry.head = head
            if let state { entry.state = state }
            entry.isGone = true
        }
    }

    /// Looks at what changed, and each second at what is alive; ends with the service.
    func watch() async {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [changes] in
                    while !Task.isCancelled {
                        // Cancelled: the loop ends.
                        try? await Task.sleep(for: .seconds(1))
                        changes.signal()
                    }
                }
                group.addTask { [self] in
                    while !Task.isCancelled {
                        await capOutput()
                        // Cancelled: the loop ends.
                        try? await Task.sleep(for: Self.outputInterval)
                    }
                }
                var nextTick = ContinuousClock.now
                while true {
                    await changes.wait()
                    if Task.isCancelled { break }
                    let changed = changed()
                    var due = changed
                    if ContinuousClock.now >= nextTick {
                        nextTick = .now + .seconds(1)
                        due.formUnion(tick())
                    }
                    for id in due
                    where turns.withLock({ $0.begin(id, isChanged: changed.contains(id)) }) {
                        group.addTask { [self] in
                            repeat { await look(at: id) } while turns.withLock { !$0.end(id) }
                        }
                    }
                    // Under load many changes are one look; cancelled: the loop ends.
                    try? await Task.sleep(for: Self.restBetweenLooks)
                }
                group.cancelAll()
            }
        }
    }

    /// What is done each second.
    ///
    /// - Returns: the sessions to look at.
    private func tick() -> Set<SessionID> {
        registry.storeUnsaved()
        LeftChildren.reap()
        return alive()
    }

    /// The sessions that the ingest thread saw change in a way that matters, as far as they have, or had, a run.
    private func changed() -> Set<SessionID> {
        changes.take().filter { id in
            guard let entry = catalogue.entry(id) else { return false }
            let hasRun = entry.liveness.lockHeld || registry.run(id) != nil
            return turns.withLock { turns in (hasRun || turns.wasHeld(id)) && turns.isChanged(entry) }
        }
    }

    /// The sessions to look at this second: all that something is going on with, and some of the others.
    private func alive() -> Set<SessionID> {
        var due = Set(registry.orphaned).union(unreaped)
        var quiet: [SessionID] = []
        for id in Set(registry.sessions).union(catalogue.held) {
            guard let record = registry.run(id)?.record else {
                quiet.append(id)
                continue
            }
            switch record.phase {
            case .starting, .pausing, .resuming, .stopping: due.insert(id)
            case .running, .suspended: if record.plan == nil { quiet.append(id) } else { due.insert(id) }
            case .halted, .ended: if catalogue.entry(id)?.liveness.lockHeld == true { quiet.append(id) }
            }
        }
        return due.union(turns.withLock { $0.next(Self.quietLooks, of: quiet.sorted()) })
    }

    private func look(at id: SessionID) async {
        guard let session = catalogue.entry(id)?.session, !session.isReadOnly else { return }
        let controller = controller(of: session)
        await controller.refresh(session)
        await controller.observe()
        if registry.run(id) == nil, catalogue.entry(id)?.liveness.lockHeld == false {
            // It was over before the first look at it.
            await controller.recordStrays()
        }
        noteOrphans(of: id)
    }

    /// Notes the agents of a run that died without them.
    func noteOrphans(of id: SessionID) {
        guard let record = registry.run(id)?.record else { return }
        var orphans: [Int32] = []
        if record.process?.isAlive != true, catalogue.entry(id)?.liveness.lockHeld != true {
            orphans = Set(record.agents.flatMap(\.members)).filter(\.isAlive).map(\.pid).sorted()
        }
        registry.note(orphans: orphans, of: id)
    }

    /// Looks for agents of runs that no server knew, in the sessions with the newest events.
    private func searchStrayAgents() async {
        let entries = catalogue.entries(now: WallClock.milliseconds())
        let idle = entries.filter { entry in
            // What is being ended is no stray.
            let isOver =
                registry.run(entry.session.id).map { [.ended, .halted].contains($0.record.phase) } ?? true
            return !entry.liveness.lockHeld && !entry.session.isReadOnly && entry.orphans.isEmpty && isOver
        }
        let tree = ProcessTree()
        for entry in idle.prefix(Self.strayLooks) {
            let directory = entry.session.directory
            // Where nothing answers none is found.
            let found = try? await threads.run(at: directory.workspace) { tree.orphans(of: directory) }
            guard let found, !found.isEmpty else { continue }
            var record = registry.run(entry.session.id)?.record ?? .past(in: entry.session)
            record.agents = found
            do {
                try registry.save(record, isObserved: true)
            } catch {
                logger.error(
                    "Stray agents were not stored", metadata: ["error": "\(LoggedError.text(error))"])
            }
            noteOrphans(of: entry.session.id)
        }
    }
}
