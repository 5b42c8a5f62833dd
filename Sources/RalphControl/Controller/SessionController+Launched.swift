import RalphSessions
import RalphWire

/// Runs that a server which is gone had spawned, and that have yet to take their lock.
extension SessionController {
    /// Sees to one, as the launch that was cut off would have: it registers, it ends, or it is given up in the time that
    /// it has (``ControlSettings/registerDeadline``).
    func followLaunch(_ record: inout RunRecord, _ facts: inout RunFacts) async {
        guard record.isLaunching, let process = record.process else { return }
        if let holder = facts.holder, holder == process || ownConfiguration(in: holder.commandLine) != nil {
            record.process = holder
            record.output = record.output ?? output(of: holder)
            record.phase = .running
            noteContinued(&record)
            return
        }
        if probe.worktreeLoops(of: session.directory).contains(where: { $0.pid == process.pid }) {
            // The lock was taken, and it went to a worktree, whose session it is.
            record.phase = .ended
            record.process = nil
            return saveObserved(record)
        }
        if process.isAlive {
            guard isLate(record) else { return }
            if let handle = ProcessHandle(process) {
                let removal = await ProcessRemoval.remove(handle)
                guard removal.left.isEmpty else { return }
            }
            facts = self.facts()
        }
        guard record.phase == .resuming else { return }
        if isBegun(record) {
            // It was there, and its rows tell how it ended.
            record.phase = .running
            noteContinued(&record)
        } else {
            // What was paused stays paused.
            record.phase = .halted
            record.process = nil
            record.isContinuing = nil
            record.resume = nil
            saveObserved(record)
            if !facts.isLockTaken { clearStale() }
            await tell(.withdrawn(.resume))
        }
    }

    /// Whether the run, or its continuation, wrote its start row.
    func isBegun(_ record: RunRecord) -> Bool {
        let request = record.resume?.requestedAt ?? record.startedAt ?? 0
        return events.lastStart().map { $0 >= request } == true
    }

    /// Where the output of one goes that might have gone to a worktree: whose it is, its record does not say before.
    private func output(of holder: ProcessIdentity) -> String? {
        ownConfiguration(in: holder.commandLine).map(RunFiles.output(beside:))
    }

    private func noteContinued(_ record: inout RunRecord) {
        if record.isContinuing == true {
            record.isContinuing = nil
            record.pause = nil
            record.resume?.effectiveAt = WallClock.milliseconds()
        }
        saveObserved(record)
    }

    /// Whether it has had its time; also where the clock was set back by more than that.
    private func isLate(_ record: RunRecord) -> Bool {
        let now = WallClock.milliseconds()
        let since = (record.phase == .starting ? record.startedAt : record.resume?.requestedAt) ?? now
        return abs(now - since) >= settings.registerDeadline.components.seconds * 1000
    }
}

extension RunRecord {
    /// Whether its process was spawned, or is about to be, and was not seen to take its lock.
    var isLaunching: Bool { phase == .starting || phase == .resuming && isContinuing == true }
}
