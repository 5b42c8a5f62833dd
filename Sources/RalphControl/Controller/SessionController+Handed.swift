import RalphSessions

/// Runs that the controller of another session started, and that turned out to be this one's: those of worktrees.
extension SessionController {
    /// Goes on with `run`; while a command acts, that follows it.
    ///
    /// The run may have been found here before. Then what was asked of it since, such as a pause, and what became of it
    /// stay as they are, and it only becomes known what it was started with.
    package func take(_ run: StartedRun) async {
        if let child = handed?.child { lingering.append(child) }
        handed = run
        guard queue.takeTurn() else { return }
        await leave()
    }

    /// Takes over what was handed over, if anything was.
    func keepHanded() {
        guard let run = handed else { return }
        handed = nil
        let isKnown = record?.isSameRun(as: run.record) == true
        if !isKnown, record?.process?.isAlive == true, run.record.process?.isAlive != true {
            // It is over, and another one is here already.
            if let child = run.child { lingering.append(child) }
            return
        }
        follow(run.child)
        guard isKnown, var record else {
            (isSettled, missingStop, lingersSince) = (false, nil, nil)
            return saveObserved(run.record)
        }
        record.plan = run.record.plan
        record.files = run.record.files
        record.workingDirectory = run.record.workingDirectory
        record.startedAt = record.startedAt ?? run.record.startedAt
        (record.commandLine, record.standardConfig) = (nil, nil)
        saveObserved(record)
    }
}

extension RunRecord {
    /// Whether `other` is of the same run of ours: each has an output of its own.
    package func isSameRun(as other: RunRecord) -> Bool { output != nil && output == other.output }
}
