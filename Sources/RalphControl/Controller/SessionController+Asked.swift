import RalphSessions

/// What was asked of a run when the server went down.
extension SessionController {
    /// Tells again what was asked of a run whose end is to come: that may have waited in the server that is gone, for reading
    /// that did not come on. What is known already stays as it is.
    func tellAgain(_ record: RunRecord) async {
        let facts = facts()
        if record.process?.isAlive == true {
            guard endedReason(facts) == nil else { return }
        } else {
            // The next run may have the files already; else their last one has yet to be told as over.
            guard !facts.isLockTaken, events.lastRun() == .open else { return }
        }
        if record.phase == .stopping, let stop = record.stop {
            await tell(.requested(.stop, at: stop.requestedAt))
        }
        guard record.phase == .pausing, let pause = record.pause else { return }
        if !record.waitsInProcess {
            await tell(.requested(.pause, at: pause.requestedAt))
        } else if pause.isUrgent == true {
            await tell(.requested(.pauseNow, at: pause.requestedAt))
        }
    }
}
