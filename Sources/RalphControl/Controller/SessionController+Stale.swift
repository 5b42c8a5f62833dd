import RalphSessions

/// Control files that are left when a run is over.
extension SessionController {
    /// The time of a file may be so much behind that of a lock that was taken before it; milliseconds.
    private static let fileTimeSlack: Int64 = 20

    /// Control files that nobody will look at any more; the next run clears them again if that fails.
    func clearStale() {
        do throws(ControlError) {
            try files.clearStale()
        } catch {
            warn("control files were left", error)
        }
    }

    /// The same behind the run of `record`, which is over. Where another one has its lock already, all files are that one's but
    /// for a stop file that it would end by (contract 4.2).
    func clearStale(behind record: RunRecord, _ facts: RunFacts) {
        guard facts.isLockTaken else { return clearStale() }
        guard isStop(for: record, facts) else { return }
        do throws(ControlError) {
            try files.withdrawStop()
        } catch {
            warn("a stop file was left", error)
        }
    }

    /// Whether the stop file is one that was made for the run of `record`, as that was stored before it was made, and not for
    /// the run that has the lock now: it is older than that.
    private func isStop(for record: RunRecord, _ facts: RunFacts) -> Bool {
        let isAskedFor = record.stop != nil || record.pause != nil && !record.waitsInProcess
        guard isAskedFor, !facts.isLockOfAnother, let locked = facts.started,
            let file = EntryStatus(at: session.directory.stopRequested)
        else { return false }
        return file.modified / 1_000_000 + Self.fileTimeSlack < locked
    }
}
