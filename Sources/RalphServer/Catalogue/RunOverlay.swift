import RalphControl
import RalphSessions

/// What control knows of a session's run, laid over what its files tell (http-contract 3.1, 3.2).
struct RunOverlay: Sendable, Equatable {
    var phase: RunRecord.Phase
    /// Whether we started it.
    var isSpawned: Bool
    /// See ``RunRecord/needsLockAgain``.
    var needsLockAgain: Bool
    /// Its process; `nil`: it has none, or none that can be seen.
    var process: ProcessIdentity?
    var exit: RunRecord.Exit?
    /// A stop was asked for.
    var isStopped: Bool
    /// Relative to the workspace if inside, else absolute.
    var config: String?
    var prompt: String?
    /// `--max-iterations`.
    var limit: Int?
    /// What the run goes by; `nil`: the workspace's `ralph.yml` tells as much.
    var configuration: WorkspaceConfig?
    /// Whether nobody here knows that: it is at an address, where only Ralph reads it, or was not read so far.
    var isConfigurationUnknown: Bool
    /// Whether it was seen that there was none.
    var isWithoutConfiguration: Bool
    /// When it was last asked to begin or to go on, milliseconds since 1970.
    var begunAt: Int64?
    /// When the run's process was found gone for good, milliseconds since 1970.
    var endedAt: Int64?
    /// Since when the pause holds, or was asked for; milliseconds since 1970. `nil`: not paused.
    var pausedAt: Int64?
    /// Living agents without a ralph above them (contract 4.1).
    var orphans: [Int32] = []
    var pausedMilliseconds: Int64
    var pausedSince: Int64?
    var carriedMilliseconds: Int64
    var carriedAt: Int64?
    var isForgotten: Bool
    var forgottenAt: Int64?

    /// - Parameters:
    ///   - configuration: what ``RunRecord/configuration`` tells.
    ///   - isUnread: whether that was not read so far.
    init(
        _ run: StoredRun, orphans: [Int32], configuration: WorkspaceConfig? = nil, isUnread: Bool = false
    ) {
        let record = run.record
        phase = record.phase
        isSpawned = record.plan != nil
        needsLockAgain = record.needsLockAgain
        process = record.process
        exit = record.exit
        isStopped = record.stop != nil
        self.configuration = configuration
        isConfigurationUnknown = isUnread || record.configuration?.isRemote == true
        isWithoutConfiguration = record.isWithoutConfiguration
        begunAt = [record.startedAt, record.resume?.requestedAt].compactMap(\.self).max()
        if phase == .ended { endedAt = record.exit?.at }
        if let plan = record.startedWith {
            limit = plan.maxIterations
            config = plan.config.map { Self.shown($0, plan.workspace) }
            if case .file(let path) = plan.prompt { prompt = Self.shown(path, plan.workspace) }
        }
        if [.pausing, .suspended, .halted].contains(record.phase) {
            pausedAt = record.pause?.effectiveAt ?? record.pause?.requestedAt
        }
        self.orphans = orphans
        pausedMilliseconds = run.pausedMilliseconds
        pausedSince = run.pausedSince
        carriedMilliseconds = run.carriedMilliseconds
        carriedAt = run.carriedAt
        isForgotten = run.isForgotten
        forgottenAt = run.forgottenAt
    }

    var pid: Int32? { process?.pid }

    /// Whether there is, or is about to be, a process of the run.
    var isActive: Bool { ![.halted, .ended].contains(phase) }

    /// Whether it is paused by its end: a resume would continue it in a process of its own.
    var isHalted: Bool { phase == .halted }

    private static func shown(_ path: String, _ workspace: String) -> String {
        path.path(below: workspace) ?? path
    }
}

extension CatalogueEntry {
    /// Where the session stands as far as commands decide it; `nil`: its files tell.
    var controlledStanding: Standing? {
        if isOrphaned { return Standing(status: .error, phase: .orphaned) }
        guard let control else { return nil }
        switch control.phase {
        case .starting, .resuming: return .running(.starting)
        case .pausing: return .paused(.pausing)
        case .stopping: return .running(.stopping)
        // The lock may be seen as held for a moment after control has seen the end.
        case .halted where !liveness.lockHeld || hasEndedSinceLocked: return .paused(.suspended)
        // A later run whose lock is not seen here is told by its files alone.
        case .ended where isLockOver && state.endReason == nil && newestControl != nil:
            return .ended(control.isStopped ? .stopped : control.exit?.code == 0 ? .completed : .error)
        // Its lock file may be deleted or replaced; the process holds it all the same.
        case .suspended where liveness.lockHeld || control.process?.isAlive == true:
            return .paused(.suspended)
        // Control has yet to see how its process ended, or it has lost its lock file and works on.
        case .running
        where !liveness.lockHeld && (state.endReason == nil || isEndEarlier)
            && (control.isSpawned || control.process?.isAlive == true):
            return .running(workingPhase)
        case .running, .suspended, .halted, .ended: return nil
        }
    }

    /// Whether an agent outlived a ralph that died or was stopped. One that is paused by its end goes on, and what an agent of one
    /// that has ended by itself left running is no agent.
    var isOrphaned: Bool {
        guard !liveness.lockHeld, !orphans.isEmpty, control?.isHalted != true else { return false }
        return isEndEarlier || [nil, "crashed", "stopped"].contains(state.endReason)
    }

    /// Whether the lock is free, or control has seen the end of the run that took it: it is not looked at while nothing can
    /// be stored.
    private var isLockOver: Bool {
        guard liveness.lockHeld else { return true }
        guard let locked = liveness.lockStarted, let over = control?.endedAt else { return false }
        return locked <= over
    }

    /// Whether the end that was read is that of the run before: of a run that was begun or continued just now nothing may
    /// have been read yet, neither its lock nor its start.
    private var isEndEarlier: Bool {
        guard let ended = state.runEndedAt, let begun = control?.begunAt else { return false }
        return ended <= begun
    }

    /// Since when it is paused, or is to be, milliseconds since 1970; `nil`: not paused. What is paused by its end is
    /// over when its directory is gone.
    var pausedAt: Int64? { isGone && control?.isActive == false ? nil : control?.pausedAt }

    /// The run's process. A lock that was left in a directory that is gone names nobody once the run is over, nor does one
    /// whose run control has seen end.
    var pid: Int32? {
        if control?.isActive == false, isGone || liveness.lockHeld && isLockOver { return nil }
        return liveness.pid ?? control?.pid
    }

    /// Whether the session is listed and found: not after a purge, until a run works in it again.
    var isShown: Bool {
        guard let control, control.isForgotten, !liveness.lockHeld else { return true }
        guard let forgottenAt = control.forgottenAt, let latestStart else { return false }
        return latestStart > forgottenAt
    }

    /// When a run last began here, milliseconds since 1970, whichever file tells so.
    var latestStart: Int64? { [state.runStartedAt, liveness.lockStarted].compactMap(\.self).max() }

    /// What control knows, as long as it is of the last run: one that began when that was over, control has not met.
    var newestControl: RunOverlay? {
        guard let control, let runStart else { return control }
        let over = control.endedAt ?? (control.isForgotten ? control.forgottenAt : nil)
        return over.map { runStart > $0 } == true ? nil : control
    }

    /// What the last run goes by: a run keeps the configuration that it began with, which may be another file's, or one
    /// that nobody here knows. Ralph's defaults only where it was seen that there was none: else a file may have gone since.
    var runConfig: WorkspaceConfig? {
        let control = newestControl
        if control?.isConfigurationUnknown == true { return nil }
        if let own = control?.configuration { return own }
        guard control?.isWithoutConfiguration == true, config == nil else { return workspaceConfig }
        return WorkspaceConfig.defaults
    }

    /// What the workspace has for its last run; `nil` also for a file that came after that had begun, beside which nobody
    /// tells what the user's own one says.
    var workspaceConfig: WorkspaceConfig? {
        newestControl?.isWithoutConfiguration == true && config?.hasFile == true ? nil : config
    }

    /// The last run's limit of iterations, best source first.
    var iterationLimit: Int? { state.maxIterations ?? newestControl?.limit ?? runConfig?.maxIterations }

    /// Living agents of a run that is gone.
    var orphans: [Int32] { control?.orphans ?? [] }

    /// Milliseconds that the last run took, from `start` to `end`, without those in which it was paused.
    func workedMilliseconds(from start: Int64, to end: Int64) -> Int64 {
        guard let control = newestControl else { return max(0, end - start) }
        if let carriedAt = control.carriedAt, start < carriedAt { return control.carriedMilliseconds }
        let end = min(end, control.pausedSince ?? end)
        return control.carriedMilliseconds + max(0, end - start - control.pausedMilliseconds)
    }
}
