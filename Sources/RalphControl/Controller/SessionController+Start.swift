import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    /// Starts a run and waits until it has registered itself.
    ///
    /// For `plan.worktree` beside a living run it is one of the worktree's session, and stored once it has registered.
    /// A paused run stays what it is when nothing comes of the start.
    @discardableResult
    package nonisolated func start(
        _ plan: LaunchPlan, by requester: Requester
    ) async throws(ControlError) -> StartedRun {
        try await inTurn(.change, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> StartedRun in
            try await controller.startInTurn(plan)
        }
    }

    private func startInTurn(_ plan: LaunchPlan) async throws(ControlError) -> StartedRun {
        try requireWritable()
        await look()
        let facts = facts()
        let isTaken = facts.isLockTaken || self.record?.process?.isAlive == true
        if isTaken, !plan.worktree { throw .alreadyRunning(session.id) }
        // Nobody asked for it to take the place of a run that can go on, as soon as that has left its lock.
        if plan.worktree, self.record?.needsLockAgain == true, !isGone { throw .alreadyPaused(session.id) }
        if isTaken { return try await startBeside(plan) }
        try requireNoAgents(facts)
        let prepared = try launcher.prepare(plan, session: session.id, isContinuation: false)
        // Control files of before would stop or suspend the new run at once.
        try prepared.files.keep { () throws(ControlError) in _ = try files.clearStale() }
        let before = self.record
        let mark = EventsMark(session.directory)
        var record = RunRecord(session: session.id, directory: session.directory.path)
        record.phase = .starting
        record.plan = plan
        record.noteFiles(in: plan.workspace)
        record.startedAt = WallClock.milliseconds()
        // Another server may be the one to find that nothing came of it.
        if let before, before.phase == .halted { record.pausedBefore = [before] }
        try prepared.files.keep { () throws(ControlError) in try save(record) }
        do throws(ControlError) {
            if let beside = try await launch(&record, prepared) { return beside }
        } catch {
            if let before, before.phase == .halted, EventsMark(session.directory) == mark {
                saveObserved(before)
            }
            throw error
        }
        return StartedRun(record: self.record ?? record, child: nil)
    }

    /// An agent that outlived its run would go on editing beside the new one's, and be shown no more.
    ///
    /// What a run left that came to its own end is a server that was to stay, say.
    private func requireNoAgents(_ facts: RunFacts) throws(ControlError) {
        guard record?.phase != .halted || isGone,
            [nil, "crashed", Self.stopReason].contains(facts.observation.endReason)
        else { return }
        let agents = Set(remains(facts).flatMap(\.members)).filter(\.isAlive).map(\.pid).sorted()
        guard agents.isEmpty else { throw .agentsAtWork(session.id, agents) }
    }

    /// Spawns, waits for the registration, and stores each step.
    ///
    /// - Returns: the run if it went to a worktree: somebody took the lock first, and the plan allows it. `record` is
    ///   over then.
    /// - Throws: when nothing of the run is left; the record is back in a resting phase then.
    @discardableResult
    func launch(
        _ record: inout RunRecord, _ prepared: PreparedRun
    ) async throws(ControlError) -> StartedRun? {
        let mark = EventsMark(session.directory)
        do throws(ControlError) {
            let run = try launcher.spawn(prepared)
            follow(ProcessHandle(run.process))
            note(run, in: &record)
            // Whose output it is, its registration tells.
            if prepared.plan.worktree { record.output = nil }
            saveObserved(record)
            launcher.removeOlder(than: run)
            let stops = stops
            let registration: Registration
            do throws(LaunchFailure) {
                registration = try await launcher.waitForRegistration(run) { stops.isUp }
            } catch {
                record.exit = error.exit
                throw error.error
            }
            if case .worktree(let directory, _) = registration {
                record.phase = .ended
                record.process = nil
                saveObserved(record)
                return handOver(run, directory)
            }
            record.output = run.output
        } catch {
            try await failLaunch(record, error, since: mark)
        }
        // The program may be a wrapper around the Ralph that took the lock. Another one may have it by now.
        if let holder = facts().holder, isLaunched(holder, record.process) { record.process = holder }
        record.plan = record.plan ?? prepared.plan
        record.pausedBefore = nil
        record.phase = .running
        isSettled = true
        saveObserved(record)
        return nil
    }

    /// Whether `holder` is what we spawned, or a Ralph that this started.
    private func isLaunched(_ holder: ProcessIdentity, _ spawned: ProcessIdentity?) -> Bool {
        guard let spawned, holder != spawned else { return true }
        return ownConfiguration(in: holder.commandLine) != nil
            || ProcessTree().isFamily(holder.pid, of: spawned)
    }

    func note(_ run: SpawnedRun, in record: inout RunRecord) {
        record.process = run.process
        record.sleptBefore = WallClock.sleptMilliseconds()
        record.output = run.output
        record.hasGate = true
        record.agents = []
    }

    /// Nothing of the run is left: a paused run stays paused, a new one is over, and so is one that has begun.
    ///
    /// - Parameter mark: of before the launch; `nil`: nothing was started.
    func failLaunch(
        _ record: RunRecord, _ error: ControlError, since mark: EventsMark? = nil
    ) async throws(ControlError) {
        var record = record
        var state = RunState(record.phase)
        let wasResuming = state.phase == .resuming
        let actions = state.handle(.launchFailed)
        record.phase = state.phase
        record.process = nil
        if let exit = record.exit ?? child?.reap() { record.exit = Self.explained(exit, record) }
        child = nil
        if record.phase == .ended, record.exit == nil {
            record.exit = RunRecord.Exit(at: WallClock.milliseconds())
        }
        if actions.contains(.clearStale), !facts().isLockTaken { clearStale() }
        record.isContinuing = nil
        if let mark, EventsMark(session.directory).isPast(mark), !facts().isLockTaken {
            record.phase = .ended
            record.pausedBefore = nil
            await reports.readToEnd(session.id)
            closeRun(in: events)
            await reports.readToEnd(session.id)
        }
        if wasResuming {
            record.resume = nil
            await tell(.withdrawn(.resume))
        }
        saveObserved(record)
        throw error
    }

    /// A parallel loop: it becomes a session of its own.
    private func startBeside(_ plan: LaunchPlan) async throws(ControlError) -> StartedRun {
        try await requireNothingInherited()
        let run = try launcher.spawn(plan, session: session.id, isContinuation: false)
        launcher.removeOlder(than: run)
        let stops = stops
        do throws(LaunchFailure) {
            switch try await launcher.waitForRegistration(run, isCancelled: { stops.isUp }) {
            case .primary(let directory), .worktree(let directory, _):
                // The run before has ended meanwhile, which is to be told.
                if directory.id == session.id { await look() }
                return handOver(run, directory)
            }
        } catch {
            if case .worktree(let directory, _) = RegistrationWatch(run).saidWorktree {
                closeRun(in: EventsFileWriter(directory))
            }
            throw error.error
        }
    }

    /// Writes the end of a run that was ended before it had registered, if it has begun.
    private func closeRun(in events: EventsFileWriter) {
        do throws(ControlError) {
            try events.terminateLastRun(reason: "stopped", at: WallClock.milliseconds())
        } catch {
            warn("the end of a run was not written", error)
        }
    }

    /// A run that has registered in `directory`, and its process with it if that is not this session's.
    private func handOver(_ run: SpawnedRun, _ directory: SessionDirectory) -> StartedRun {
        var record = RunRecord(session: directory.id, directory: directory.path)
        record.plan = run.plan
        record.noteFiles(in: run.plan.workspace)
        record.plan?.workspace = directory.workspace
        if directory.id != session.id { record.workingDirectory = run.plan.workspace }
        record.startedAt = WallClock.milliseconds()
        note(run, in: &record)
        record.phase = .running
        if directory.id == session.id {
            // The lock had become free: it is this session's run after all.
            follow(ProcessHandle(run.process))
            saveObserved(record)
            return StartedRun(record: record, child: nil)
        }
        if child?.identity == run.process { child = nil }
        do {
            try reports.saveObserved(record)
        } catch {
            warn("a run's state was not stored", error)
        }
        return StartedRun(record: record, child: ProcessHandle(run.process))
    }
}
