import Foundation
import RalphSessions
import RalphWire

extension SessionController {
    /// How long a pause waits to see its own effect; an iteration may last an hour.
    private static let pauseGlance = Duration.milliseconds(300)

    /// Asks the run to stop at the end of its iteration (contract 4.9).
    ///
    /// With our gate the process stays and waits; without, it ends and ``resume(by:)`` continues it.
    /// - Parameter now: also ends the agent of the iteration in progress, whose work is lost.
    /// - Throws: ``ControlError/notRunning(status:)`` also for a run that ended meanwhile for another reason,
    ///   ``ControlError/superseded`` for one that somebody else lets go on already.
    @discardableResult
    package nonisolated func pause(
        now isUrgent: Bool, by requester: Requester
    ) async throws(ControlError) -> PauseOutcome {
        try await inTurn(.change, by: requester) {
            (controller: isolated SessionController) async throws(ControlError) -> PauseOutcome in
            try await controller.pauseInTurn(isUrgent, requester.text)
        }
    }

    private func pauseInTurn(_ isUrgent: Bool, _ by: String) async throws(ControlError) -> PauseOutcome {
        let before = try await requireRun()
        var record = before
        let now = WallClock.milliseconds()
        takeBackResume(&record)
        var changed = try keepsWaiting(&record)
        let actions = try advance(&record, .pauseRequested(hasGate: record.hasGate))
        try requireContinuable(record, actions, isUrgent)
        if !actions.isEmpty {
            changed = true
            record.pause = RunRecord.Request(requestedAt: now, by: by)
            record.resume = nil
            record.unfinished = record.phase
            // A full disk keeps nobody from pausing a run.
            saveObserved(record)
            try await place(actions, before: before, at: now)
        }
        askAgain(&record)
        if isUrgent, await endAgents(record, at: now) { changed = true }
        await look()
        let deadline = ContinuousClock.now + Self.pauseGlance
        while self.record?.phase == .pausing, ContinuousClock.now < deadline, !stops.isUp {
            await Pace.rest(Pace.look)
            if hasPauseEffect(record) { await look() }
        }
        guard let after = self.record, [.pausing, .suspended, .halted].contains(after.phase) else {
            // Its end is what is true now, and no pause; a run that goes on was let go by somebody else.
            _ = try await requireRun()
            throw .superseded
        }
        let isPending = after.phase == .pausing
        return PauseOutcome(
            changed: changed, isPending: isPending, requestedAt: after.pause?.requestedAt ?? now,
            effectiveAt: isPending ? nil : after.pause?.effectiveAt)
    }

    /// Refuses a pause by which the run ends, or may end, and could not go on.
    private func requireContinuable(
        _ record: RunRecord, _ actions: [RunState.Action], _ isUrgent: Bool
    ) throws(ControlError) {
        if actions.contains(.placeStopFile) { return try requireContinuable(record) }
        // An agent that is ended at once may say 130, and the run ends with it (contract 4.1).
        if isUrgent, record.phase == .pausing { try requireNoMerge(record) }
    }

    /// Keeps a pending pause whose stop file is not there: by its end, or by the next iteration, it shows whether the run has
    /// taken that. A further server, which does not know of this, makes it again.
    private func askAgain(_ record: inout RunRecord) {
        guard record.phase == .pausing, missingStop != nil else { return }
        missingStop?.isAskedAgain = true
        record.unfinished = record.phase
        saveObserved(record)
    }

    /// Whether a suspended run that was asked to go on, and may at any moment, waits on since that was taken back. With our
    /// gate it is made to by what a pause does anyway.
    private func keepsWaiting(_ record: inout RunRecord) throws(ControlError) -> Bool {
        guard record.phase == .suspended else { return false }
        // Somebody else may have asked it to go on, as in a terminal.
        guard let resume = record.resume, resume.effectiveAt == nil else { return try withdrawsResume() }
        guard !record.hasGate else {
            record.phase = .resuming
            return false
        }
        // One that was taken is what lets it go on, should it.
        guard try withdrawsResume() else { return false }
        record.resume = nil
        saveObserved(record)
        return true
    }

    /// Takes back a resume that the run has not taken; `false`: there is none, as in a directory that is gone or where nothing
    /// can be written.
    private func withdrawsResume() throws(ControlError) -> Bool {
        // A look needs no descriptor, no right to write, and no directory.
        guard !EntryStatus.isAbsent(session.directory.resumeRequested) else { return false }
        return try files.withdrawResume()
    }

    /// Ends the agent of the iteration that a pending pause waits for.
    ///
    /// - Returns: whether anything was signalled.
    private func endAgents(_ record: RunRecord, at now: Int64) async -> Bool {
        guard record.phase == .pausing, let process = record.process else { return false }
        let groups = ProcessTree().agentGroups(of: process, in: session.directory)
        guard !groups.isEmpty, restoreStop(record) else { return false }
        // An agent that is ended so may say 130, and the run ends with it (contract 4.1): as paused.
        if record.waitsInProcess {
            noteUrgent()
            await tell(.requested(.pauseNow, at: now))
        }
        var isSignalled = false
        for group in groups where group.signal(SIGTERM) { isSignalled = true }
        return isSignalled
    }

    /// Notes that the agents are ended for the pause, before they are.
    private func noteUrgent() {
        guard var record else { return }
        record.pause?.isUrgent = true
        saveObserved(record)
    }

    /// Makes the stop file again that somebody took away, without which the run would go on when its agent ends; a run with
    /// agents has not honoured it.
    private func restoreStop(_ record: RunRecord) -> Bool {
        guard !record.waitsInProcess, files.lacksStop else { return true }
        do throws(ControlError) {
            try files.requestStop()
            missingStop = nil
            noteFinished()
            return true
        } catch {
            warn("a pause was not asked for again", error)
            return false
        }
    }

    private func place(
        _ actions: [RunState.Action], before: RunRecord, at now: Int64
    ) async throws(ControlError) {
        let usesStopFile = actions.contains(.placeStopFile)
        if usesStopFile { await tell(.requested(.pause, at: now)) }
        do throws(ControlError) {
            if usesStopFile {
                // One may have begun before this was stored, and does not know of it.
                try requireNoMergeHere()
                try files.requestStop()
            } else {
                // A resumption that was not taken yet would cancel the suspension (contract 4.4).
                try files.withdrawResume()
                try files.requestPause()
            }
        } catch {
            if usesStopFile { await tell(.withdrawn(.pause)) }
            saveObserved(before)
            throw error
        }
        noteFinished()
    }

    /// Notes that the control file is as the record says: whoever changes it from here on means it.
    func noteFinished() {
        guard var record, record.unfinished != nil else { return }
        record.unfinished = nil
        saveObserved(record)
    }

    /// Gives up a pause that somebody took back by its file while it was pending.
    ///
    /// The stop file goes as well when the run honours it: only a run that ends another iteration after the one at hand
    /// has not. Who asked again meanwhile gets another file.
    func dropWithdrawnPause(_ record: inout RunRecord, _ facts: RunFacts) async {
        guard record.phase == .pausing, facts.isAlive, !facts.observation.isSuspended,
            record.waitsInProcess ? files.lacksPause : files.lacksStop, endedReason(facts) == nil
        else {
            missingStop = nil
            return
        }
        if !record.waitsInProcess {
            guard let missing = missingStop ?? iteration.map({ MissingStop(iteration: $0) }) else { return }
            missingStop = missing
            guard hasPassedStop else { return }
            if missing.isAskedAgain {
                if restoreStop(record) { record.unfinished = nil }
                return
            }
            missingStop = nil
        }
        record.phase = .running
        record.pause = nil
        saveObserved(record)
        await tell(.withdrawn(.pause))
    }

    /// Whether the run goes on although its stop file is not there: somebody took that away.
    var hasPassedStop: Bool {
        guard let missingStop, let iteration else { return false }
        return iteration >= missingStop.iteration + 2
    }

    /// The iterations that the run has noted as done; `nil`: it is about to.
    private var iteration: Int? {
        // Ralph removes the file at its start, and rewrites it in place (contract 2.6).
        EntryStatus.isAbsent(session.directory.loopState) ? 0 : SessionFiles.loopState(of: session)?.iteration
    }

    /// A cheap look: whether the whole one would find something.
    private func hasPauseEffect(_ record: RunRecord) -> Bool {
        files.suspension != nil || record.process?.isAlive == false
    }
}

/// A stop file that was made for a pause and is not there, while the run is.
struct MissingStop {
    /// The iterations that the run had done when it was missed.
    let iteration: Int
    /// Whether the pause was asked for again since.
    var isAskedAgain = false
}
