import RalphSessions

/// What is remembered of a living run between two looks; a restarted server begins anew with it, but for a silence that was
/// told.
struct SentinelMemory: Sendable {
    /// ``SentinelFacts/events`` at the last look.
    private var events: Int
    /// Since when nothing came, milliseconds since 1970; not before the first look at it, which an earlier server may have had.
    private(set) var silentSince: Int64
    private var lookedAt: Int64
    /// Between two looks lie a few seconds, milliseconds. After more than this nobody looked on: the clock was set, or the
    /// machine slept.
    private static let longestPause: Int64 = 120_000
    /// Episodes that were told, or would have been: their events may still be on their way.
    var told: [Sentinel: Int] = [:]
    /// Episodes whose end was told: it may still be on its way.
    var ended: [Sentinel: Int] = [:]

    init(_ facts: SentinelFacts, now: Int64) {
        events = facts.signs?.episode(.stalled) ?? facts.events
        silentSince = min(now, facts.signs?.stalledSince ?? now)
        lookedAt = now
    }

    /// Takes note of what came since the last look.
    mutating func look(_ facts: SentinelFacts, now: Int64) {
        let passed = now - lookedAt
        if passed < 0 || passed > Self.longestPause { silentSince += passed }
        if facts.events != events {
            events = facts.events
            silentSince = min(now, max(lookedAt, facts.lastEventAt ?? now))
        }
        if facts.isWaiting { silentSince = now }
        lookedAt = now
    }
}
