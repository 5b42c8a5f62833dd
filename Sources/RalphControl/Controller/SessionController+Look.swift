import Foundation
import RalphSessions
import RalphWire

/// Finding out what became of a run, and of what was asked of it.
extension SessionController {
    private static let treePause = Duration.seconds(2)
    private static let lingerGrace = Duration.seconds(2)
    /// How many groups of agents that have ended are remembered for what lives in them, the newest.
    private static let maximumLeft = 64

    /// Looks again. To be called when something about the session may have changed, and each second while a
    /// run is alive; while a command acts, the look follows it.
    package func observe() async {
        guard record != nil else { return }
        needsLook = true
        guard queue.takeTurn() else { return }
        await leave()
    }

    // MARK: Facts

    /// What is known now. How the last run ended is read only when none is alive.
    func facts() -> RunFacts {
        probe.refresh()
        let liveness = probe.liveness(of: session)
        var facts = RunFacts(started: liveness.lockStarted)
        facts.holder = liveness.pid.flatMap { ProcessIdentity(pid: $0) }
        facts.observation.lockHeld = liveness.lockHeld
        facts.isLockTaken = liveness.lockHeld
        facts.mayWait = session.mayWait(liveness)
        facts.isLockOfAnother =
            liveness.isHolderCertain && probe.lastHolder(of: session.directory) != liveness.pid
        if liveness.isHolderCertain, let pid = liveness.pid, kill(pid, 0) != 0, errno == ESRCH {
            // Who took the lock is gone; it lives on in what that left, which is no run.
            facts.observation.lockHeld = false
        }
        if let holder = facts.holder, holder.uid == geteuid(), !isProven(holder, liveness) {
            // Nobody's run as far as commands go: what is no Ralph of this session is never signalled.
            facts.holder = nil
            facts.observation.lockHeld = false
        }
        facts.observation.isSuspended = liveness.isSuspended || isSuspendedUnseen
        // Until it sees the stop file it waits still.
        if record?.isRenewed == true, record?.phase == .pausing { facts.observation.isSuspended = false }
        facts.observation.isProcessAlive = record?.process?.isAlive ?? false
        if facts.observation.isProcessAlive, hasRegistered { facts.observation.lockHeld = true }
        if !facts.isAlive { facts.observation.endReason = events.lastRun().reason }
        facts.observation.hasGate = record?.waitsInProcess ?? false
        facts.observation.isContinuation = record?.isContinuing ?? false
        if facts.isAlive, facts.holder == nil, let pid = liveness.pid, RunningProcess.isHidden(pid) {
            facts.hidden = pid
        }
        return facts
    }

    /// Whether a run that waits has lost its directory, or that cannot be looked at: that nobody sees the file which says so
    /// does not wake it.
    private var isSuspendedUnseen: Bool {
        record?.phase == .suspended && (isGone || SuspendState.isHidden(at: session.directory.suspendState))
    }

    /// Whether the process that we know had taken its lock. It holds that for as long as it lives, also when the file was
    /// deleted or replaced and nobody can see it any more (contract 3.1).
    private var hasRegistered: Bool {
        switch record?.phase {
        case .running, .pausing, .suspended, .stopping: true
        // A continuation is a process of its own, which has yet to take it.
        case .resuming: record?.isContinuing != true
        case .starting, .halted, .ended, nil: false
        }
    }

    private func isProven(_ holder: ProcessIdentity, _ liveness: SessionLiveness) -> Bool {
        // What we have started is known, wherever it goes.
        if holder == record?.process || holder == child?.identity { return true }
        let proof = RunProof(session: session, program: settings.presentRalph)
        return proof.covers(holder, holdsLock: liveness.isHolderCertain)
    }

    /// Takes in what is known now: moves the phase, tells what took effect, tidies up.
    func look() async {
        reapChild()
        guard var record else { return }
        if record.phase != .pausing { record.isRenewed = nil }
        let isFirstLook = !isSettled
        let isUnseen = isFirstLook && record.process?.isAlive != true
        if isFirstLook {
            isSettled = true
            await settle(&record)
        }
        dropRemoved(&record)
        var facts = facts()
        await followLaunch(&record, &facts)
        let isReplaced = record.process.map(facts.showEnd) ?? record.isLaunching
        if isReplaced, facts.holder != nil {
            // Our run is over and somebody started another one here: its own rows will tell of both.
            facts.observation.lockHeld = false
            facts.observation.isProcessAlive = false
            facts.observation.endReason = events.lastRun().reason ?? "unknown"
            await take(facts, into: &record, isUnseen: isUnseen)
            facts = self.facts()
        }
        // While a launch of ours lives, somebody else holds the lock.
        if record.isLaunching { facts.observation.lockHeld = false }
        await dropOvertakenPause(&record, facts)
        await dropWithdrawnPause(&record, facts)
        endLingering(record, facts)
        if record.phase == .running, record.hasGate, facts.observation.isSuspended, isStrayGate() {
            // The gate was asked just before it was removed.
            facts.observation.isSuspended = false
            // If that fails, the next look tries again.
            try? files.requestResume()
        }
        facts.observation.isFollowed = isFollowed(record, facts, isFirstLook: isFirstLook)
        await take(facts, into: &record, isUnseen: isUnseen)
        noteSuspension(&record)
        noteSeen(&record, facts)
        watch(&record, facts)
        saveObserved(record)
    }

    /// Ends the process of a run that is over by a pause: with `--rpc` and an open standard input it would stay
    /// (contract header), so that nothing could continue. It no longer looks at SIGTERM then; before the SIGKILL
    /// it gets the time that its last records take.
    private func endLingering(_ record: RunRecord, _ facts: RunFacts) {
        guard record.phase == .pausing, !record.waitsInProcess, let process = record.process, process.isAlive,
            RunState.isPause(endedReason(facts), hasGate: false),
            process.commandLine?.contains(LaunchPlan.Mode.rpc.rawValue) == true
        else {
            lingersSince = nil
            return
        }
        let since = lingersSince ?? .now
        lingersSince = since
        if since.duration(to: .now) >= Self.lingerGrace { ProcessHandle(process)?.signal(SIGKILL) }
    }

    /// Takes back a pause that the run did not live to see: it is over for another reason, and only its process
    /// stays.
    private func dropOvertakenPause(_ record: inout RunRecord, _ facts: RunFacts) async {
        guard record.phase == .pausing, facts.isAlive, let reason = endedReason(facts),
            !RunState.isPause(reason, hasGate: record.waitsInProcess)
        else { return }
        do throws(ControlError) {
            _ = try record.waitsInProcess ? files.withdrawPause() : files.withdrawStop()
        } catch {
            return warn("a pause was not taken back", error)
        }
        record.phase = .running
        record.pause = nil
        saveObserved(record)
        await tell(.withdrawn(.pause))
    }

    /// Why the run is over whose process is alive still; `nil`: it is not.
    func endedReason(_ facts: RunFacts) -> String? {
        facts.started.flatMap { events.endReason(since: $0) }
    }

    /// Whether our gate made the run wait although nobody asks for a pause.
    private func isStrayGate() -> Bool {
        !files.isPauseRequested && files.suspension?.hook == GeneratedConfig.gateName
    }

    /// - Parameter isUnseen: whether a run that is over ended before this server looked.
    private func take(_ facts: RunFacts, into record: inout RunRecord, isUnseen: Bool) async {
        var state = RunState(record.phase)
        let before = record
        let actions = state.handle(.observed(facts.observation))
        record.phase = state.phase
        guard state.phase != before.phase || !actions.isEmpty else { return }
        if actions.contains(.adopt) {
            // First of all: what is stored with the new phase is of the new run.
            adopt(facts, &record)
            record.phase = state.phase
            if facts.isAlive, before.phase == .halted { record.pausedBefore = [before] }
        } else if state.phase == .ended || state.phase == .halted {
            if let paused = runPaused(before: record) {
                record = paused
                saveObserved(record)
                // What is left was asked of the run that is over.
                return clearStale(behind: before, facts)
            }
            record.pausedBefore = nil
        }
        let now = WallClock.milliseconds()
        let end = isUnseen ? lastSign(of: record, facts, before: now) : now
        if state.phase == .halted, record.pause?.effectiveAt == nil { record.pause?.effectiveAt = end }
        if state.phase == .ended || state.phase == .halted { noteEnd(&record, at: end) }
        if actions.contains(.tellSuspended) {
            let requested = min(record.pause?.requestedAt ?? 0, now)
            record.pause?.effectiveAt = max(suspendedSince(now), requested)
        }
        noteSuspension(&record)
        // Stored first: told twice after a crash is worse than told once too little, but what was told must
        // not be told again by the next look.
        saveObserved(record)
        for action in actions { await perform(action, &record, facts, at: action == .tellEnded ? end : now) }
    }

    /// Who paused a run that nobody did.
    private static let hookName = "hook"

    /// Since when a run waits that nobody paused: a hook of its owner suspended it (contract 4.4).
    private func noteSuspension(_ record: inout RunRecord) {
        guard record.phase == .suspended, record.pause == nil else { return }
        let since = suspendedSince(WallClock.milliseconds())
        record.pause = RunRecord.Request(requestedAt: since, effectiveAt: since, by: Self.hookName)
    }

    /// Since when the run waits, which may have begun while no server ran.
    private func suspendedSince(_ now: Int64) -> Int64 { min(files.suspension?.since ?? now, now) }

    private func noteEnd(_ record: inout RunRecord, at now: Int64) {
        record.exit = record.exit ?? RunRecord.Exit(at: now)
        record.process = nil
        if record.phase == .ended, record.stop?.effectiveAt == nil { record.stop?.effectiveAt = now }
    }

    private func perform(
        _ action: RunState.Action, _ record: inout RunRecord, _ facts: RunFacts, at now: Int64
    ) async {
        switch action {
        case .tellSuspended:
            let hook = files.suspension?.hook
            let request = record.pause.flatMap { $0.by == Self.hookName ? nil : $0 }
            await tell(.withdrawn(.pause))
            await tell(
                "session.paused", request, at: now, since: record.pause?.effectiveAt,
                [("means", "suspended"), ("hook", hook ?? "")])
        case .tellResumed:
            record.resume?.effectiveAt = now
            let request = record.resume
            record.pause = nil
            saveObserved(record)
            await tell("session.resumed", request, at: now, [("means", "suspended")])
        case .tellEnded:
            // Nobody saw to the end of its agents, and they may be younger than the last look at them.
            record.agents = remains(facts)
            saveObserved(record)
            // What it still wrote came before its end, and may not be read yet.
            if !isGone { await reports.readToEnd(session.id) }
            await tell(.ended(reason: record.stop == nil ? "crashed" : "stopped", at: now))
        case .clearStale: clearStale(behind: record, facts)
        case .adopt, .placeGate, .placeStopFile, .withdrawPause, .requestResume, .continueRun, .stop,
            .refuseNotRunning,
            .refuseSuperseded:
            // It is done before anything is stored; only requests lead to the others.
            break
        }
    }

    // MARK: While alive

    /// Remembers the agents of a living run.
    private func watch(_ record: inout RunRecord, _ facts: RunFacts) {
        guard facts.isAlive, let process = record.process, process.isAlive else { return }
        let now = ContinuousClock.now
        if lastTree.map({ now - $0 >= Self.treePause }) ?? true {
            lastTree = now
            let tree = ProcessTree()
            let agents = tree.agentGroups(of: process)
            // What an agent of an iteration before has left is below ralph no more; that of the last one comes first.
            let left = record.agents.filter { old in old.isAlive && !agents.contains { $0.id == old.id } }
            record.agents = tree.withoutRuns(
                elsewhereThan: session.directory, below: process, agents + left.prefix(Self.maximumLeft))
        }
    }

    /// An exit with what the run's program said last, where it failed and nobody had asked for its end.
    static func explained(_ exit: RunRecord.Exit, _ record: RunRecord?) -> RunRecord.Exit {
        guard exit.code != 0, let record, record.stop == nil, record.pause == nil, let output = record.output
        else { return exit }
        var exit = exit
        exit.message = LastLine.of(RunFiles.errors(beside: output))
        return exit
    }

    private func reapChild() {
        lingering.removeAll { $0.isOverAndReaped() }
        guard var exit = child?.reap() else { return }
        // Ralph's exit code says 1 of a stop as well, whoever asked for it.
        let isStopped =
            record.map(isBegun) == true
            && events.lastRun().reason.map(TerminateRow.status(ofReason:)) == "stopped"
        if !isStopped { exit = Self.explained(exit, record) }
        child = nil
        if var record, record.exit == nil || record.exit?.code == nil && record.exit?.signal == nil {
            record.exit = exit
            saveObserved(record)
        }
    }

    // MARK: Adoption

    /// The record of a run that was started elsewhere, and may be over. That it waits is for a look to find, and to tell
    /// of, unless `record` said so.
    func adopt(_ facts: RunFacts, _ record: inout RunRecord) {
        var fresh = RunRecord(session: session.id, directory: session.directory.path)
        fresh.process = facts.holder
        fresh.startedAt = facts.started
        let isKnown = record.startedAt == facts.started
        fresh.sleptBefore = isKnown ? record.sleptBefore : WallClock.sleptMilliseconds()
        if facts.isAlive, record.phase == .suspended, isKnown {
            fresh.phase = .suspended
            fresh.pause = record.pause
        } else {
            fresh.phase = facts.isAlive ? .running : .ended
        }
        fresh.commandLine = facts.holder?.commandLine
        fresh.standardConfig = facts.holder?.standardConfig
        fresh.isEnvironmentKnown = facts.holder.map { $0.uid == geteuid() }
        let place = facts.holder.flatMap { RunProof(session: session, program: nil).place(of: $0) }
        fresh.workingDirectory = place.flatMap { $0.isPath(session.directory.workspace) ? nil : $0 }
        fresh.take(configuration: ownConfiguration(in: fresh.commandLine))
        fresh.noteFiles(in: place ?? session.directory.workspace)
        record = fresh
        isSettled = true
    }

    /// The configuration that we made for this session, if a command line names it.
    ///
    /// - Parameter isShared: also one for the session whose worktree it is, by which its loop was started.
    func ownConfiguration(in commandLine: [String]?, isShared: Bool = true) -> String? {
        guard let words = commandLine else { return nil }
        let main = isShared ? session.mainWorkspace.map { SessionDirectory(workspace: $0).id } : nil
        let places = [session.id, main].compactMap(\.self).map { "\(settings.runs)/\($0.rawValue)/" }
        // As the value of the flag: who reads a run's output names a path of ours as well.
        return zip(words, words.dropFirst()).first { flag, path in
            flag == "-c" && places.contains(where: { path.utf8.starts(with: $0.utf8) })
                && path.hasSuffix("/" + SessionDirectory.configName)
        }?.1
    }

    /// Completes, or takes back, what a server that died had begun: its record was stored before it acted.
    private func settle(_ record: inout RunRecord) async {
        if record.commandLine != nil, record.standardConfig == nil {
            // A version that did not note it stored the record.
            record.standardConfig = record.process?.standardConfig
        }
        if record.files == nil, record.process?.isAlive == true {
            // Likewise.
            record.noteFiles(in: record.workingDirectory ?? session.directory.workspace)
        }
        if record.process == nil, record.phase == .starting || record.phase == .resuming {
            findLaunched(&record)
        }
        let isAlive = record.process?.isAlive == true
        if !isAlive, record.process == nil, record.phase == .resuming {
            // A continuation that was never spawned: the pause holds on. One that was has come and gone.
            record.phase = isBegun(record) ? .running : .halted
            record.isContinuing = nil
        }
        // What was done, somebody may have undone since.
        let isUnfinished = record.unfinished == record.phase
        record.unfinished = nil
        guard isAlive || record.phase == .stopping else { return }
        await tellAgain(record)
        do throws(ControlError) {
            switch record.phase {
            case .pausing where isUnfinished && endedReason(facts()) == nil:
                try record.waitsInProcess ? files.requestPause() : files.requestStop()
            case .running where isUnfinished: try files.withdrawPause()
            case .resuming where !record.isLaunching && (record.hasGate || files.suspension != nil):
                try files.withdrawPause()
                if files.suspension != nil { try files.requestResume() }
            case .stopping: _ = try await descend(&record, force: true)
            default: break
            }
        } catch {
            warn("an interrupted command was not completed", error)
        }
    }

    /// A run that was spawned and whose record was not told any more: its command line names our configuration.
    private func findLaunched(_ record: inout RunRecord) {
        // A loop that was started beside bears a configuration of ours as well.
        let others = Set(probe.worktreeLoops(of: session.directory).map(\.pid))
        for status in ProcessTree().processes.values.sorted(by: { $0.pid < $1.pid }) {
            let found = ProcessIdentity(status)
            guard let configuration = ownConfiguration(in: found.commandLine, isShared: false),
                found.uid == geteuid(), !others.contains(found.pid)
            else { continue }
            record.process = found
            record.sleptBefore = WallClock.sleptMilliseconds()
            record.take(configuration: configuration)
            saveObserved(record)
            return
        }
    }
}

extension RunRecord {
    /// Takes the configuration that we made for the run, in its command line; `nil`: it has none of ours.
    fileprivate mutating func take(configuration: String?) {
        hasGate = configuration != nil
        output = configuration.map(RunFiles.output(beside:))
    }
}
