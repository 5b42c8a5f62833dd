import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    private static let wrapperGrace = Duration.seconds(1)
    static let stopReason = "stopped"

    /// Ends the session's run, orderly if it obeys in time, and whatever its agents left (contract 4.9).
    ///
    /// It is never longer than about 20 s, and never answers before everything of the run is gone.
    /// - Parameter force: begins with the signals, and does not wait for the end of the iteration; nor does a stop
    ///   that is before it.
    @discardableResult
    package nonisolated func stop(
        force: Bool, by requester: Requester
    ) async throws(ControlError) -> StopOutcome {
        // What it overtakes is not to fail for somebody who may not stop it.
        try requester.requireRight()
        let stop = stops.raise(force: force)
        // As far as it does not come to its turn.
        defer { stops.lower(stop) }
        // Whether it still may is asked below, where the flag is lowered in time for one that was revoked as well.
        return try await inTurn(.stop, by: .unrevocable(requester.text)) {
            (controller: isolated SessionController) async throws(ControlError) -> StopOutcome in
            // Before the turn is given away: who has it next does not give up for this one.
            defer { controller.stops.lower(stop) }
            try requester.requireRight()
            return try await controller.stopInTurn(force, requester.text)
        }
    }

    private func stopInTurn(_ force: Bool, _ by: String) async throws(ControlError) -> StopOutcome {
        if isReadOnly { return try stopReadOnly() }
        await look()
        let facts = facts()
        try requireOwn(facts)
        let remains = remains(facts)
        guard facts.isAlive || !remains.isEmpty || record?.phase == .halted && !isGone else {
            return alreadyStopped(facts)
        }
        var record = record ?? RunRecord(session: session.id, directory: session.directory.path)
        let isAnother = record.process.map(facts.showEnd) ?? true
        if facts.isAlive, isAnother { adopt(facts, &record) }
        let isHalted = record.phase == .halted && !facts.isAlive
        // Its files still tell of the run before.
        let isBefore = record.isLaunching
        let now = WallClock.milliseconds()
        // Of a run whose end is told already that holds, whatever is stopped of it now.
        let told = facts.isAlive ? nil : Self.toldEnd(of: record)
        _ = try advance(&record, .stopRequested)
        record.stop = RunRecord.Request(requestedAt: now, by: by)
        record.agents = remains
        record.stopsHalted = record.phase == .stopping && isHalted ? true : nil
        // A full disk keeps nobody from stopping a run.
        saveObserved(record)
        // The row that tells of the end is still to come, by Ralph or by us.
        if facts.isAlive || events.lastRun() == .open { await tell(.requested(.stop, at: now)) }
        let forced = try await descend(&record, force: force, reason: told ?? Self.stopReason)
        return StopOutcome(
            already: false, exit: record.exit, forced: forced,
            // Its rows may be gone with their directory, or be those of the next run.
            endReason: (isBefore ? nil : events.lastRun().reason) ?? told ?? Self.stopReason)
    }

    /// The answer for a layout of which no run is known: it is over, as it is shown, and may be forgotten.
    ///
    /// - Throws: ``ControlError/readOnly`` where a process may be its run, which nothing proves and nobody here signals.
    private func stopReadOnly() throws(ControlError) -> StopOutcome {
        guard !ProcessTree().mayRunUnknown(in: session.directory.workspace) else { throw .readOnly }
        return StopOutcome(already: true, exit: nil, forced: false, endReason: nil)
    }

    /// What was told of the end of a run that did not say it itself; `nil`: nothing was.
    static func toldEnd(of record: RunRecord) -> String? {
        guard record.phase == .ended, let exit = record.exit, exit.code != 0 else { return nil }
        return record.stop == nil ? "crashed" : stopReason
    }

    /// The answer where nothing is left to be stopped.
    private func alreadyStopped(_ facts: RunFacts) -> StopOutcome {
        if var record {
            // Its directory is not there; it is not to be continued when that comes back.
            if record.phase == .halted { record.phase = .ended }
            // What lives of them is no orphan, but a run elsewhere that was noted as one.
            record.agents = []
            saveObserved(record)
        }
        return StopOutcome(
            already: true, exit: record?.exit, forced: false, endReason: facts.observation.endReason)
    }

    /// Agents that have no Ralph above them any more, and those that were seen when they had.
    func remains(_ facts: RunFacts) -> [ProcessGroup] {
        let known = (record?.agents ?? []).filter(\.isAlive)
        guard !known.isEmpty || !facts.isAlive else { return [] }
        let tree = ProcessTree()
        let groups = tree.withoutRuns(
            elsewhereThan: session.directory, below: record?.process, known)
        return facts.isAlive ? groups : groups + tree.orphans(of: session.directory)
    }

    /// Looks for agents of a run that was over before anybody looked at it; while a command acts, that follows it.
    package func recordStrays() async {
        needsStrayLook = true
        guard queue.takeTurn() else { return }
        await leave()
    }

    func noteStrays() {
        needsStrayLook = false
        guard var record, record.phase == .ended else { return }
        record.agents = remains(facts())
        saveObserved(record)
    }

    /// Goes down the ladder and tidies up; `record` is in phase `stopping` and ends in `ended`.
    ///
    /// - Parameter reason: of the run's end, if that did not say one itself.
    /// - Returns: whether anything was signalled.
    func descend(
        _ record: inout RunRecord, force: Bool, reason: String = stopReason
    ) async throws(ControlError) -> Bool {
        var ladder = StopLadder(
            process: record.process, groups: record.agents, directory: session.directory, settings: settings)
        if record.process?.isAlive == true { await askToStop(&ladder, force: force) }
        let isOver = await ladder.finish()
        await reapLast(&record)
        guard isOver else {
            saveObserved(record)
            throw .failedToStop("processes of the run are still there: \(ladder.survivors)")
        }
        await conclude(&record, reason)
        return ladder.hasSignalled
    }

    /// Reaps what we spawned: Ralph, or a wrapper that ends a moment after it.
    private func reapLast(_ record: inout RunRecord) async {
        guard let child else { return }
        if await !wait(Self.wrapperGrace, until: { child.isOver }) {
            child.signal(SIGKILL)
            _ = await wait(Self.wrapperGrace) { child.isOver }
        }
        self.child = nil
        // One may outlive even that for a while, as on a disk that stands.
        if let exit = child.reap() { record.exit = exit } else { lingering.append(child) }
    }

    private func askToStop(_ ladder: inout StopLadder, force: Bool) async {
        do throws(ControlError) {
            try files.requestStop()
        } catch {
            // A workspace that was deleted, or a full disk: the signals are left.
            warn("no stop file could be made", error)
        }
        await ladder.descend(
            isSuspended: { [files] in files.suspension != nil },
            isForced: { [stops] in force || stops.isForced },
            // While Ralph has the lock, the file can be no other run's; what fails is tried again below.
            beforeSignal: { [files] in _ = try? files.withdrawStop() })
        withdrawOwnStop()
    }

    /// Takes back a stop file that its run did not honour: whoever waits for the lock has it at once, and would end by the
    /// file.
    private func withdrawOwnStop() {
        do throws(ControlError) {
            try files.withdrawStop()
        } catch {
            warn("a stop file was left", error)
        }
    }

    /// Nothing of the run is alive: its files say so, no control file is left, the record is closed.
    ///
    /// Somebody may have started the next run as soon as the lock was free: then its files are none of ours.
    private func conclude(_ record: inout RunRecord, _ reason: String) async {
        let facts = facts()
        let isFollowed = facts.isLockTaken
        clearStale(behind: record, facts)
        // What its output tells came before its end.
        await reports.readToEnd(session.id)
        let now = WallClock.milliseconds()
        var isTold = true
        do throws(ControlError) {
            if !isFollowed {
                try events.terminateLastRun(reason: reason, at: now)
                // Where there is no directory no row can tell it.
                isTold = !isGone
            }
        } catch {
            isTold = false
            warn("the end of a run was not written", error)
        }
        record.phase = .ended
        record.process = nil
        record.agents = []
        record.pausedBefore = nil
        record.exit = record.exit ?? RunRecord.Exit(at: now)
        record.stop?.effectiveAt = now
        let stopsHalted = record.stopsHalted == true
        record.stopsHalted = nil
        saveObserved(record)
        if !isTold { await tell(.ended(reason: reason, at: now)) }
        // Behind everything it is told that the run is over.
        await reports.readToEnd(session.id)
        if stopsHalted {
            // Its rows have told of its end long ago, as of a pause.
            await tell(
                "session.stopped", record.stop, at: WallClock.milliseconds(), [("reason", Self.stopReason)])
        }
    }
}
