import RalphSessions

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
            record.stop?.requestedAt,
        ]
        return min(now, signs.compactMap(\.self).max() ?? now)
    }
}
