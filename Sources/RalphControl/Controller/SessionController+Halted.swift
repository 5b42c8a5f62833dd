import RalphSessions

/// Whether a run that is paused by its end can still be continued.
extension SessionController {
    /// Whether the session's directory is not there. What cannot be looked at may be there, and may come back.
    var isGone: Bool { EntryStatus.isAbsent(session.directory.path) }

    /// Whether the session's directory was removed for good: that of a worktree whose workspace is there. Any other one
    /// that is absent may lie on a file system that is mounted later.
    private var isRemoved: Bool {
        guard let main = session.worktreeOf ?? session.mainWorkspace, isGone else { return false }
        return EntryStatus(at: SessionDirectory(workspace: main).path) != nil
    }

    /// Ends a pause by end whose session was removed: there is nothing left to continue.
    func dropRemoved(_ record: inout RunRecord) {
        if record.phase == .halted, isRemoved { record.phase = .ended }
    }

    /// Whether another run came and went since that of `record` was paused, is to be, or was last seen, and no look met it
    /// alive, as while no server was there.
    ///
    /// - Parameters:
    ///   - facts: of a session without a living run.
    ///   - isFirstLook: whether nobody has looked before since the server began.
    func isFollowed(_ record: RunRecord, _ facts: RunFacts, isFirstLook: Bool) -> Bool {
        guard !facts.isAlive else { return false }
        if record.phase == .running || record.phase == .suspended {
            return isFirstLook && isOfAnother(record, facts)
        }
        guard let pause = record.pause else { return false }
        switch record.phase {
        case .pausing: return hasBegun(after: pause.requestedAt, facts, else: isFirstLook)
        case .halted:
            let reason = facts.observation.endReason
            if let reason, !RunState.isPause(reason, hasGate: false) { return true }
            return hasBegun(after: pause.effectiveAt ?? pause.requestedAt, facts, else: true)
        case .starting, .running, .suspended, .resuming, .stopping, .ended: return false
        }
    }

    /// The run that is paused still although somebody began that of `record`, which is over: it never wrote a row, as a hook of
    /// its owner held it, say, or it came to nothing while its server was restarted. One that a hook suspended ends by a stop
    /// file with a row, and has no start.
    ///
    /// A fresh run names a new events file before its first hook, and has removed by then what the paused one would go on
    /// from (contract 1.1): that one is over.
    func runPaused(before record: RunRecord) -> RunRecord? {
        guard let paused = record.pausedBefore?.first, record.stop == nil, let locked = record.startedAt,
            let start = events.lastStart(), start < locked, events.endReason(since: locked) == nil
        else { return nil }
        return paused
    }

    /// Whether the lock was last taken by a run that began behind that of `record`, of which each process takes it soon or
    /// never. A worktree's loop takes none.
    private func isOfAnother(_ record: RunRecord, _ facts: RunFacts) -> Bool {
        guard session.takesLock, let process = record.process, let start = record.startedAt,
            let locked = facts.started, let holder = probe.lastHolder(of: session.directory)
        else { return false }
        let patience = record.plan == nil ? 0 : settings.registerDeadline.components.seconds * 1000
        return holder != process.pid && locked > max(start, record.resume?.requestedAt ?? start) + patience
    }

    /// Whether the last run took its lock and wrote its start after `time`. A run that is paused as soon as it has the
    /// lock writes its start later than that.
    ///
    /// - Parameter isProof: what a start alone proves, where no lock tells: a worktree's loop takes none.
    private func hasBegun(after time: Int64, _ facts: RunFacts, else isProof: Bool) -> Bool {
        guard let start = events.lastStart(), start > time else { return false }
        guard session.takesLock, let locked = facts.started else { return isProof }
        return locked > time
    }
}
