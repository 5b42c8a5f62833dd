import RalphSessions
import RalphWire

/// What a run that ended while no server looked has left of its life.
extension SessionController {
    /// The newest sign that the run of `record` lived: what it wrote last, and the requests that it was alive for; at most
    /// `now`, milliseconds since 1970. Without an events file nothing is known, and it is `now`.
    func lastSign(of record: RunRecord, _ facts: RunFacts, before now: Int64) -> Int64 {
        guard let written = events.writtenAt else { return now }
        let output = record.output.flatMap { EntryStatus(behindLinks: $0) }.map { $0.modified / 1_000_000 }
        // The time of a file may be a few milliseconds behind that of the row that was just written.
        let signs = [
            written, output, events.lastStart(), facts.started, record.startedAt,
            record.pause?.requestedAt, record.pause?.effectiveAt, record.resume?.requestedAt,
            record.resume?.effectiveAt,
            record.stop?.requestedAt, record.seenAt,
        ]
        return min(now, signs.compactMap(\.self).max() ?? now)
    }

    /// So long may a suspended run live unnoted, which leaves no other sign; milliseconds.
    private static let seenInterval: Int64 = 60_000

    /// Notes now and then that a suspended run lives.
    func noteSeen(_ record: inout RunRecord, _ facts: RunFacts) {
        let now = WallClock.milliseconds()
        let isNoted = record.seenAt.map { (0..<Self.seenInterval).contains(now - $0) } ?? false
        if record.phase == .suspended, facts.isAlive, !isNoted { record.seenAt = now }
    }

    /// Notes that a suspended run lives: nobody looks any more, and it may be gone when somebody looks again.
    package func noteSeen() {
        guard var record, record.phase == .suspended, record.process?.isAlive == true else { return }
        record.seenAt = WallClock.milliseconds()
        saveObserved(record)
    }
}
