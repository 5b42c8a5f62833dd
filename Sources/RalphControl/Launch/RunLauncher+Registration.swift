import Foundation
import Logging
import RalphSessions

/// Why no run came of a launch.
package struct LaunchFailure: Error {
    package let error: ControlError
    /// How its process ended by itself; `nil`: it did not, or as if all were well.
    package let exit: RunRecord.Exit?
}

extension RunLauncher {
    /// How often the run is looked at.
    private static let pace = Duration.milliseconds(20)
    /// How long a run that has its lock may take to its first row; one that fails now was never started.
    private static let settling = Duration.milliseconds(300)

    /// Waits until `run` has registered itself.
    ///
    /// - Parameter isCancelled: asked between looks; a stop during a start.
    /// - Throws: ``LaunchFailure`` of ``ControlError/failedToSpawn(_:)`` with the last line of its stderr if it ended before, or did
    ///   nothing until ``ControlSettings/registerDeadline``; ``ControlError/alreadyRunning(_:)`` if another run
    ///   took the lock first; ``ControlError/superseded`` if cancelled. No process is left then.
    package func waitForRegistration(
        _ run: SpawnedRun, isCancelled: @Sendable () -> Bool
    ) async throws(LaunchFailure) -> Registration {
        guard let handle = ProcessHandle(run.process) else {
            ChildProcess.end(run.process.pid)
            throw LaunchFailure(
                error: .failedToSpawn("process \(run.process.pid) cannot be seen in /proc"), exit: nil)
        }
        let deadline = ContinuousClock.now + settings.registerDeadline
        var watch = RegistrationWatch(run)
        var lockedSince: ContinuousClock.Instant?
        while true {
            let now = ContinuousClock.now
            if isCancelled() || Task.isCancelled { throw await givenUp(handle, .superseded) }
            switch watch.look(at: now) {
            case .registered(let registration): return registration
            case .lockIsTaken:
                let holder = SessionDirectory(workspace: run.plan.workspace)
                if !run.plan.worktree { throw await givenUp(handle, .alreadyRunning(holder.id)) }
            case .locked:
                let since = lockedSince ?? now
                lockedSince = since
                if since.duration(to: now) >= Self.settling, !handle.isOver {
                    return .primary(SessionDirectory(workspace: run.plan.workspace))
                }
            case .nothing: break
            }
            if await handle.waitForExit(until: now + Self.pace) {
                if lockedSince != nil || watch.hadLock, watch.hasBegun {
                    return .primary(SessionDirectory(workspace: run.plan.workspace))
                }
                if let registration = watch.saidWorktree { return registration }
                throw await givenUp(handle, nil, errors: run.errors)
            }
            if now >= deadline {
                throw await givenUp(handle, .failedToSpawn(Self.late(settings.registerDeadline)))
            }
        }
    }

    /// Leaves nothing of the run, and says why.
    ///
    /// - Parameter error: `nil`: what the run itself said last.
    private func givenUp(
        _ handle: ProcessHandle, _ error: ControlError?, errors: String? = nil
    ) async -> LaunchFailure {
        let removal = await ProcessRemoval.remove(handle)
        if !removal.left.isEmpty {
            logger.warning("processes outlive their run", metadata: ["pids": "\(removal.left.map(\.pid))"])
        }
        return LaunchFailure(
            error: error ?? .failedToSpawn(LastLine.of(errors) ?? Self.sentence(removal.exit)),
            exit: error == nil && removal.exit?.code != 0 ? removal.exit : nil)
    }

    private static func late(_ deadline: Duration) -> String {
        "did not take its lock within \(deadline.components.seconds) s"
    }

    private static func sentence(_ exit: RunRecord.Exit?) -> String {
        if exit?.code == 0 {
            return "exited with code 0 without running; what starts Ralph must become it (exec)"
        }
        if let code = exit?.code { return "exited with code \(code)" }
        return exit?.signal.map { "was ended by signal \($0)" } ?? "exited"
    }
}
