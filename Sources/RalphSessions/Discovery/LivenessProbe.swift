import RalphWire

/// Tells which sessions are alive, by the rules of contract 3.3. Reads only, and takes no lock.
package struct LivenessProbe {
    private var locks: ProcessLocks?
    private var lockRecords = FileCache(
        maximumBytes: LockRecord.maximumFileBytes, parse: LockRecord.parse(lock:))
    private var suspensions = FileCache(maximumBytes: SuspendState.maximumBytes, parse: SuspendState.init)
    private var loopRecords = FileCache(
        maximumBytes: LockRecord.maximumFileBytes, isRewritten: true, parse: LockRecord.parse(loops:))
    private var loopIDs = FileCache<String>.lines()

    package init() {}

    /// Looks at the system's locks; what ``liveness(of:)`` answers holds for this moment.
    package mutating func refresh() { use(ProcessLocks.current()) }

    /// Takes locks that were looked at elsewhere, a moment ago; `nil` where the system does not list them.
    package mutating func use(_ locks: ProcessLocks?) { self.locks = locks }

    /// Forgets files that were not asked for since the last call.
    package mutating func sweep() {
        lockRecords.sweep()
        suspensions.sweep()
        loopRecords.sweep()
        loopIDs.sweep()
    }

    /// Whether a run works in `directory` at this moment, by its lock or as a worktree loop. Blocks for the system's locks.
    package static func isRunning(_ directory: SessionDirectory) -> Bool {
        var probe = LivenessProbe()
        probe.refresh()
        return probe.liveness(of: DiscoveredSession(directory: directory)).lockHeld
    }

    /// The liveness of one session.
    package mutating func liveness(of session: DiscoveredSession) -> SessionLiveness {
        var liveness = processLiveness(of: session)
        if let suspension = suspensions.value(at: session.directory.suspendState) {
            liveness.isSuspended =
                suspension.isOf(runSince: liveness.lockStarted)
                || isOfHolder(suspension, liveness, session.directory)
        }
        guard liveness.lockHeld else { return liveness }
        liveness.questionWrittenAt = EntryStatus(at: session.directory.robotQuestion)?.modified
        return liveness
    }

    /// Whether what seems older than the run is its own: the clock was set back since that took its lock. A run that
    /// has waited for the lock is older than what the one before it left, and of another loop unless it goes on with
    /// that.
    private mutating func isOfHolder(
        _ suspension: SuspendState, _ liveness: SessionLiveness, _ directory: SessionDirectory
    ) -> Bool {
        guard let since = suspension.since, let loopID = suspension.loopID, let pid = liveness.pid,
            let started = RunningProcess(pid: pid)?.startedAt, since >= started
        else { return false }
        return loopIDs.value(at: directory.currentLoopID) == loopID
    }

    private mutating func processLiveness(of session: DiscoveredSession) -> SessionLiveness {
        var liveness = SessionLiveness()
        guard session.directory.layout != .unknown else { return liveness }
        liveness.isStopRequested = EntryStatus(at: session.directory.stopRequested) != nil
        liveness.isPauseRequested = EntryStatus(at: session.directory.pauseRequested) != nil
        if let main = session.mainWorkspace, let record = loopRecord(of: session, main: main) {
            // Worktree loops lock nothing (contract 1.2): the main workspace's registry names them.
            liveness.lockStarted = record.started
            liveness.prompt = record.prompt
            liveness.pid = Self.isHere(record, session, main: main) ? record.livingPID : nil
            liveness.lockHeld = liveness.pid != nil
            if liveness.lockHeld { return liveness }
        }
        guard session.worktreeOf == nil || session.takesLock || locks != nil, !isLockCopied(of: session)
        else {
            return liveness
        }
        // In a worktree a `loop.lock` may be a copy, which nobody holds, unless a loop was continued there: that
        // keeps its id and takes the lock (contract 4.5).
        var own = liveness
        look(atLockOf: session.directory, &own)
        return session.takesLock || own.lockHeld ? own : liveness
    }

    /// Whether only the file tells who holds a worktree's lock, and it is that of the main workspace.
    private mutating func isLockCopied(of session: DiscoveredSession) -> Bool {
        guard locks == nil, let main = session.mainWorkspace,
            let record = lockRecords.value(at: session.directory.lockFile)
        else { return false }
        return lockRecords.value(at: SessionDirectory(workspace: main).lockFile) == record
    }

    /// The worktree loops that the workspace of `directory` has, dead ones too (contract 5.3).
    package mutating func worktreeLoops(of directory: SessionDirectory) -> [WorktreeLoop] {
        (loopRecords.value(at: directory.loopsFile) ?? []).compactMap(WorktreeLoop.init)
    }

    /// Who last took the lock of `directory`, as the lock file says; the process may have ended since.
    package mutating func lastHolder(of directory: SessionDirectory) -> Int32? {
        lockRecords.value(at: directory.lockFile)?.pid
    }

    private mutating func look(atLockOf directory: SessionDirectory, _ liveness: inout SessionLiveness) {
        // Of one that cannot be looked at it is the last one: what it is compared with stays, too.
        let record = lockRecords.value(at: directory.lockFile)
        liveness.lockStarted = record?.started
        liveness.prompt = record?.prompt
        guard let status = EntryStatus(at: directory.lockFile), status.kind == .file else { return }
        if let locks {
            let holder = locks.holder(device: status.device, inode: status.inode, expected: record?.pid)
            guard let holder else { return }
            liveness.lockHeld = true
            liveness.pid = holder.pid ?? record?.livingPID
            liveness.isHolderCertain = holder.pid != nil
        } else {
            liveness.pid = record?.livingPID
            liveness.lockHeld = liveness.pid != nil
        }
        liveness.isLockOwn = liveness.lockHeld
    }

    private mutating func loopRecord(of session: DiscoveredSession, main: String) -> LockRecord? {
        loopRecords.value(at: SessionDirectory(workspace: main).loopsFile)?.last {
            $0.workspace?.isPath(session.directory.workspace) == true
                || ($0.loopID != nil && $0.loopID == session.loopID)
        }
    }

    /// Whether the loop of a record works in the session's worktree. One that is named elsewhere has moved below `main`; the
    /// record of a copied workspace still tells of the original's.
    private static func isHere(_ record: LockRecord, _ session: DiscoveredSession, main: String) -> Bool {
        guard let worktree = record.workspace, !worktree.isPath(session.directory.workspace) else {
            return true
        }
        if let named = EntryStatus(behindLinks: worktree),
            let own = EntryStatus(at: session.directory.workspace),
            named.isSameFile(as: own)
        {
            return true
        }
        if let pid = record.livingPID, let place = RunningProcess.directory(of: pid) {
            // Ralph works where it was started, in the main workspace (contract 5.1).
            return place.isPath(main) || place.isPath(inside: session.directory.workspace)
        }
        return EntryStatus.isAbsent(worktree)
    }
}
