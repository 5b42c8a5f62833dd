import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    /// Starts a run and waits until it has registered itself.
    ///
    /// - Returns: the run's record; for `plan.worktree` beside a living run it is that of the worktree's session,
    ///   is not this controller's own, and is stored once the run has registered.
    @discardableResult
    package func start(_ plan: LaunchPlan, by: String) async throws(ControlError) -> RunRecord {
        try await inTurn(.change) { () async throws(ControlError) -> RunRecord in
            try requireWritable()
            await look()
            let facts = facts()
            if facts.isLockTaken || record?.process?.isAlive == true {
                guard plan.worktree else { throw .alreadyRunning(session.id) }
                return try await startBeside(plan)
            }
            // Control files of before would stop or suspend the new run at once.
            try files.clearStale()
            var record = RunRecord(session: session.id, directory: session.directory.path)
            record.phase = .starting
            record.plan = plan
            record.startedAt = Pace.now()
            try save(record)
            if let beside = try await launch(&record, plan, isContinuation: false) { return beside }
            return self.record ?? record
        }
    }

    /// Spawns, waits for the registration, and stores each step.
    ///
    /// - Returns: the record of another session if the run went to a worktree: somebody took the lock first, and
    ///   the plan allows it. `record` is over then.
    /// - Throws: when nothing of the run is left; the record is back in a resting phase then.
    @discardableResult
    func launch(
        _ record: inout RunRecord, _ plan: LaunchPlan, isContinuation: Bool
    ) async throws(ControlError) -> RunRecord? {
        do throws(ControlError) {
            let run = try launcher.spawn(
                plan, session: session.id, isContinuation: isContinuation, loopID: nil)
            child = ProcessHandle(run.process)
            note(run, in: &record)
            saveObserved(record)
            let stops = stops
            let registration = try await launcher.waitForRegistration(run) { stops.isUp }
            if case .worktree(let directory, _) = registration {
                record.phase = .ended
                record.process = nil
                record.output = nil
                saveObserved(record)
                return besideRecord(run, plan, directory)
            }
        } catch {
            try await failLaunch(record, error)
        }
        // The program may be a wrapper around the Ralph that took the lock.
        if let holder = facts().holder { record.process = holder }
        record.plan = record.plan ?? plan
        record.phase = .running
        isSettled = true
        saveObserved(record)
        return nil
    }

    func note(_ run: SpawnedRun, in record: inout RunRecord) {
        record.process = run.process
        record.output = run.output
        record.hasGate = run.hasGate
        record.agents = []
    }

    /// Nothing of the run is left: a paused run stays paused, a new one is over.
    func failLaunch(_ record: RunRecord, _ error: ControlError) async throws(ControlError) {
        var record = record
        var state = RunState(record.phase)
        let wasResuming = state.phase == .resuming
        let actions = state.handle(.launchFailed)
        record.phase = state.phase
        record.process = nil
        if let exit = child?.reap() { record.exit = Self.explained(exit, record) }
        child = nil
        if record.phase == .ended, record.exit == nil { record.exit = RunRecord.Exit(at: Pace.now()) }
        if actions.contains(.clearStale), !facts().isLockTaken { clearStale() }
        if wasResuming {
            record.resume = nil
            await tell(.withdrawn(.resume))
        }
        saveObserved(record)
        throw error
    }

    /// A parallel loop: it becomes a session of its own.
    private func startBeside(_ plan: LaunchPlan) async throws(ControlError) -> RunRecord {
        let run = try launcher.spawn(plan, session: session.id, isContinuation: false, loopID: nil)
        let stops = stops
        let registration = try await launcher.waitForRegistration(run) { stops.isUp }
        switch registration {
        case .primary(let directory), .worktree(let directory, _): return besideRecord(run, plan, directory)
        }
    }

    private func besideRecord(_ run: SpawnedRun, _ plan: LaunchPlan, _ directory: SessionDirectory)
        -> RunRecord
    {
        var record = RunRecord(session: directory.id, directory: directory.path)
        record.plan = plan
        record.plan?.workspace = directory.workspace
        record.startedAt = Pace.now()
        note(run, in: &record)
        record.phase = .running
        if directory.id == session.id {
            // The lock had become free: it is this session's run after all.
            saveObserved(record)
            return record
        }
        do {
            try reports.save(record)
        } catch {
            warn("a run's state was not stored", error)
        }
        return record
    }
}
