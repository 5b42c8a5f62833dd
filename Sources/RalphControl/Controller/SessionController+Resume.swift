import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    /// How long a suspended run may take to go on; it looks every 250 ms.
    private static let resumeGrace = Duration.seconds(2)
    /// How long a run whose stop file is gone may take to end, hooks of its owner included: with the registration of the one
    /// that goes on, less than a client waits (http-contract 1.1).
    private static let endGrace = Duration.seconds(8)
    /// How often the whole look is worth its price meanwhile.
    private static let endLook = Duration.milliseconds(250)

    /// Lets a paused run go on: in its process if that waits, else with `--continue`; a pause that has not come
    /// about is taken back.
    ///
    /// A continued run begins with Ralph's `task.resume`, the scratchpad and the tasks. The events that the agent
    /// emitted in its last iteration are not appended again to get the exact hat back: they would be in the
    /// record twice, and their checks would run again (contract 4.9).
    @discardableResult
    package nonisolated func resume(by requester: Requester) async throws(ControlError) -> ResumeOutcome {
        try await inTurn(.change, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> ResumeOutcome in
            try await controller.resumeInTurn(requester)
        }
    }

    private func resumeInTurn(_ requester: Requester) async throws(ControlError) -> ResumeOutcome {
        let before = try await requireRun()
        var record = before
        let now = WallClock.milliseconds()
        takeBackResume(&record)
        let actions = try advance(&record, .resumeRequested)
        guard !actions.isEmpty else {
            let request = record.resume
            return ResumeOutcome(
                changed: false, requestedAt: request?.requestedAt ?? now, effectiveAt: request?.effectiveAt)
        }
        record.resume = RunRecord.Request(requestedAt: now, by: requester.text)
        if actions.contains(.continueRun) {
            try await continueRun(record, at: now)
        } else if actions.contains(.requestResume), isOutOfTime(record, at: now) {
            try await renew(before, by: requester, at: now)
        } else if actions.contains(.requestResume) {
            try save(record)
            try await wake(before: before)
        } else {
            try await withdraw(record, before: before, by: requester, at: now)
        }
        let request = self.record?.resume
        return ResumeOutcome(
            changed: true, requestedAt: request?.requestedAt ?? now, effectiveAt: request?.effectiveAt)
    }

    // MARK: In the process

    private func wake(before: RunRecord) async throws(ControlError) {
        do throws(ControlError) {
            // In this order, or the hook would find the gate again.
            try files.withdrawPause()
            try files.requestResume()
        } catch {
            saveObserved(before)
            throw error
        }
        _ = await wait(Self.resumeGrace) {
            files.suspension == nil || stops.isUp || before.process?.isAlive == false
        }
        // A run that is killed leaves it (contract 4.4), and the look clears it away.
        let isTaken = files.suspension == nil
        await look()
        if var waiting = record, takeBackResume(&waiting) { saveObserved(waiting) }
        if stops.isUp, record?.phase == .suspended { throw .superseded }
        // So does one that finds somebody's stop file first (contract 4.4).
        if !isTaken || facts().observation.endReason == "stopped" { try requireUnended() }
    }

    /// Refuses what a run did not live to see.
    private func requireUnended() throws(ControlError) {
        guard record?.phase == .ended else { return }
        throw .notRunning(status: endedStatus(facts().observation.endReason))
    }

    /// What was asked to go on waits still, or again since its hook or another one says no: it is paused, and who wants it to
    /// go on all the same asks once more.
    @discardableResult
    func takeBackResume(_ record: inout RunRecord) -> Bool {
        guard record.phase == .resuming, record.isContinuing != true, isAliveStill(), files.suspension != nil
        else { return false }
        record.phase = .suspended
        return true
    }

    private func isAliveStill() -> Bool { record?.process?.isAlive ?? false }

    // MARK: In another process

    /// Whether a run that our gate holds would be over with its next iteration, and can go on anew: the time for which it waits
    /// counts as well (contract 4.4), but not that for which the machine slept.
    private func isOutOfTime(_ record: RunRecord, at now: Int64) -> Bool {
        guard let started = facts().started, record.process?.isAlive == true,
            files.suspension?.hook == GeneratedConfig.gateName
        else { return false }
        do throws(ControlError) {
            guard let limit = configuration(of: record)?.maxRuntimeSeconds,
                record.age(since: started, at: now, slept: WallClock.sleptMilliseconds()) >= Int64(limit)
                    * 1000
            else { return false }
            try requireContinuable(record)
            return true
        } catch {
            // It has the one iteration.
            return false
        }
    }

    /// Ends a suspended run and continues it, so that its time begins anew.
    private func renew(
        _ before: RunRecord, by requester: Requester, at now: Int64
    ) async throws(ControlError) {
        var record = before
        // From here on it is paused by its end, whoever goes on with it.
        record.phase = .pausing
        record.isRenewed = true
        record.unfinished = record.phase
        record.pause = RunRecord.Request(requestedAt: now, by: requester.text)
        try save(record)
        await tell(.requested(.pause, at: now))
        do throws(ControlError) {
            try files.requestStop()
        } catch {
            await tell(.withdrawn(.pause))
            saveObserved(before)
            throw error
        }
        noteFinished()
        try await continueBehindEnd(of: record, by: requester, at: now)
    }

    // MARK: A pause that has not come about

    private func withdraw(
        _ record: RunRecord, before: RunRecord, by requester: Requester, at now: Int64
    ) async throws(ControlError) {
        if before.isRenewed == true {
            // It waits in its gate, from which only its end leads on.
            if endedReason(facts()) == nil { try files.requestStop() }
            return try await continueBehindEnd(of: before, by: requester, at: now)
        }
        var record = record
        record.pause = nil
        record.resume?.effectiveAt = now
        if record.waitsInProcess { return try await withdrawGate(record, before: before) }
        // While the stop file can be taken back the run has not seen it.
        if try files.withdrawStop() {
            saveObserved(record)
            await tell(.withdrawn(.pause))
            return
        }
        // It has: the run ends, and is continued then. Who asked to pause again meanwhile is overtaken by this.
        try await continueBehindEnd(of: before, by: requester, at: now)
    }

    /// Waits until the run with a stop file is over, and continues it; one that goes on all the same does so.
    private func continueBehindEnd(
        of before: RunRecord, by requester: Requester, at now: Int64
    ) async throws(ControlError) {
        let request = RunRecord.Request(requestedAt: now, by: requester.text)
        missingStop?.isAskedAgain = false
        noteFinished()
        await awaitEnd(of: before.process)
        if var running = self.record, running.phase == .running, running.process == before.process,
            isAliveStill(), endedReason(facts()) == nil
        {
            // Somebody had taken the file away, and it goes on.
            running.resume = request
            running.resume?.effectiveAt = now
            saveObserved(running)
            return
        }
        guard var halted = self.record, halted.phase == .halted else {
            // The pause stays as it is.
            if stops.isUp { throw .superseded }
            if self.record?.phase == .running, let reason = endedReason(facts()) {
                throw .notRunning(status: endedStatus(reason))
            }
            if isAliveStill() || self.record?.phase == .pausing { throw .ending }
            throw .notRunning(status: endedStatus(facts().observation.endReason))
        }
        try requester.requireRight()
        _ = try advance(&halted, .resumeRequested)
        halted.resume = request
        try await continueRun(halted, at: now)
    }

    /// Waits until a run whose stop file is gone is over, or shows that it goes on.
    private func awaitEnd(of process: ProcessIdentity?) async {
        let deadline = ContinuousClock.now + Self.endGrace
        var isOver = false
        repeat {
            if let process {
                _ = await wait(Self.endLook) { !process.isAlive || stops.isUp || hasPassedStop }
            }
            isOver = process?.isAlive != true
            // It also ends a process that stays although its run is over, which the next one then sees.
            await look()
        } while record?.phase == .pausing && !isOver && !stops.isUp && ContinuousClock.now < deadline
    }

    private func withdrawGate(_ record: RunRecord, before: RunRecord) async throws(ControlError) {
        var record = record
        record.unfinished = record.phase
        try save(record)
        do throws(ControlError) {
            try files.withdrawPause()
        } catch {
            saveObserved(before)
            throw error
        }
        noteFinished()
        await tell(.withdrawn(.pause))
        await look()
        try requireUnended()
    }

    // MARK: With --continue

    /// - Parameter record: in phase `resuming`.
    private func continueRun(_ record: RunRecord, at now: Int64) async throws(ControlError) {
        guard !facts().isLockTaken else { throw .alreadyRunning(session.id) }
        var record = record
        record.process = nil
        record.exit = nil
        record.isRenewed = nil
        record.isContinuing = true
        var plan = try continuationPlan(record)
        // Where it is continued from it is the first of its workspace (contract 4.5).
        plan.worktree = false
        plan.maxIterations = raisedLimit(plan)
        let prepared = try launcher.prepare(plan, session: session.id, isContinuation: true)
        try prepared.files.keep { () throws(ControlError) in try save(record) }
        do throws(ControlError) {
            try prepared.files.keep { () throws(ControlError) in
                try files.clearStale()
                try events.terminateLastRun(reason: "interrupted", at: now)
                try sayAgain(to: record)
                try files.ensureScratchpad(configuration(of: plan)?.scratchpad)
            }
        } catch {
            try await failLaunch(record, error)
        }
        await tell(.requested(.resume, at: now))
        try await launch(&record, prepared)
        guard var running = self.record else { return }
        running.pause = nil
        running.isContinuing = nil
        running.resume?.effectiveAt = WallClock.milliseconds()
        saveObserved(running)
    }

    /// `--max-iterations` for a continuation: as many again once the limit is reached, because counting goes on
    /// where it was and would end the run at once (contract 4.5).
    private func raisedLimit(_ plan: LaunchPlan) -> Int? {
        let limit = plan.maxIterations ?? configuration(of: plan)?.maxIterations ?? 100
        guard let done = SessionFiles.loopState(of: session)?.iteration, done >= limit else {
            return plan.maxIterations
        }
        return min(done + limit, Int(UInt32.max))
    }

    func configuration(of plan: LaunchPlan) -> WorkspaceConfig? {
        WorkspaceConfig.load(
            plan.layers(files: [plan.config ?? plan.workspace + "/" + SessionDirectory.configName]),
            user: SessionDirectory.userConfiguration(settings.environment))
    }
}
