import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    /// How long a suspended run may take to go on before it is asked again; it looks every 250 ms.
    private static let resumeGrace = Duration.seconds(2)
    private static let secondGrace = Duration.seconds(1)
    /// How long a run whose stop file is gone may take to end, hooks of its owner included.
    private static let endGrace = Duration.seconds(15)

    /// Lets a paused run go on: in its process if that waits, else with `--continue`; a pause that has not come
    /// about is taken back.
    ///
    /// A continued run begins with Ralph's `task.resume`, the scratchpad and the tasks. The events that the agent
    /// emitted in its last iteration are not appended again to get the exact hat back: they would be in the
    /// record twice, and their checks would run again (contract 4.9).
    @discardableResult
    package func resume(by requester: Requester) async throws(ControlError) -> ResumeOutcome {
        try await inTurn(.change, by: requester) { () async throws(ControlError) -> ResumeOutcome in
            try await resumeInTurn(requester)
        }
    }

    private func resumeInTurn(_ requester: Requester) async throws(ControlError) -> ResumeOutcome {
        let before = try await requireRun()
        var record = before
        let now = WallClock.milliseconds()
        let actions = try advance(&record, .resumeRequested)
        guard !actions.isEmpty else {
            let request = record.resume
            return ResumeOutcome(
                changed: false, requestedAt: request?.requestedAt ?? now, effectiveAt: request?.effectiveAt)
        }
        record.resume = RunRecord.Request(requestedAt: now, by: requester.text)
        if actions.contains(.continueRun) {
            try await continueRun(record, at: now)
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
        for limit in [Self.resumeGrace, Self.secondGrace] {
            let isAwake = await wait(limit) { files.suspension == nil || stops.isUp }
            if isAwake || !isAliveStill() { break }
            // It was taken, and the run waits again or still: the hook retries, or another one suspends.
            if !files.isResumeRequested { try files.requestResume() }
        }
        await look()
    }

    private func isAliveStill() -> Bool { record?.process?.isAlive ?? false }

    // MARK: A pause that has not come about

    private func withdraw(
        _ record: RunRecord, before: RunRecord, by requester: Requester, at now: Int64
    ) async throws(ControlError) {
        var record = record
        record.pause = nil
        record.resume?.effectiveAt = now
        if record.hasGate {
            try save(record)
            do throws(ControlError) {
                try files.withdrawPause()
            } catch {
                saveObserved(before)
                throw error
            }
            await tell(.withdrawn(.pause))
            await look()
            return
        }
        // While the stop file can be taken back the run has not seen it.
        if try files.withdrawStop() {
            try save(record)
            await tell(.withdrawn(.pause))
            return
        }
        // It has: the run ends, and is continued then.
        if let process = before.process {
            _ = await wait(Self.endGrace) { !process.isAlive || stops.isUp }
        }
        await look()
        guard var halted = self.record, halted.phase == .halted else {
            // The pause stays as it is.
            if stops.isUp { throw .superseded }
            if isAliveStill() { throw .ending }
            throw .notRunning(status: endedStatus(facts().observation.endReason))
        }
        try requester.requireRight()
        _ = try advance(&halted, .resumeRequested)
        halted.resume = RunRecord.Request(requestedAt: now, by: requester.text)
        try await continueRun(halted, at: now)
    }

    // MARK: With --continue

    /// - Parameter record: in phase `resuming`.
    private func continueRun(_ record: RunRecord, at now: Int64) async throws(ControlError) {
        guard !facts().isLockTaken else { throw .alreadyRunning(session.id) }
        var record = record
        record.process = nil
        record.exit = nil
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

    /// Refuses to end a run by a pause that no resume could continue, as far as files tell that now.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)``.
    func requireContinuable(_ record: RunRecord) throws(ControlError) {
        let plan = try continuationPlan(record)
        do throws(ControlError) {
            _ = try launcher.check(plan)
        } catch .failedToSpawn(let reason), .ralphMissing(let reason) {
            throw .notContinuable(reason)
        }
        try requirePrompt(of: plan)
    }

    /// - Throws: ``ControlError/notContinuable(_:)`` where the file of the prompt is gone that is read anew (contract 4.5).
    private func requirePrompt(of plan: LaunchPlan) throws(ControlError) {
        guard case .configured = plan.prompt else { return }
        let config = configuration(of: plan)
        guard config == nil || config?.promptFile != nil else { return }
        let name = config?.promptFile ?? WorkspaceConfig.standardPromptFile
        let path = name.hasPrefix("/") ? name : plan.workspace + "/" + name
        if EntryStatus.isAbsent(path) { throw .notContinuable("its prompt \(path) is not there") }
    }

    /// What a run is continued with that ends by its pause.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)`` where the gate cannot be put into its configuration.
    private func continuationPlan(_ record: RunRecord) throws(ControlError) -> LaunchPlan {
        let plan =
            record.plan ?? record.commandLinePlan ?? LaunchPlan(workspace: session.directory.workspace)
        if let config = plan.config, ConfigurationLayers.isAddress(config) {
            throw .notContinuable(
                "its configuration is an address, and only a file can be given the pause gate")
        }
        return plan
    }

    /// `--max-iterations` for a continuation: as many again once the limit is reached, because counting goes on
    /// where it was and would end the run at once (contract 4.5).
    private func raisedLimit(_ plan: LaunchPlan) -> Int? {
        let limit = plan.maxIterations ?? configuration(of: plan)?.maxIterations ?? 100
        guard let done = LoopProgress.iteration(of: session.directory), done >= limit else {
            return plan.maxIterations
        }
        return min(done + limit, Int(UInt32.max))
    }

    private func configuration(of plan: LaunchPlan) -> WorkspaceConfig? {
        WorkspaceConfig.load(
            plan.layers(files: [plan.config ?? plan.workspace + "/" + SessionDirectory.configName]),
            user: SessionDirectory.userConfiguration(settings.environment))
    }
}
