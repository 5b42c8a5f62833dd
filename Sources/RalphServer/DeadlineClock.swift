import RalphWire

/// The time by which something is due: questions expire, runs stall; tests bring their own.
struct DeadlineClock: Sendable {
    /// Milliseconds since 1970.
    var now: @Sendable () -> Int64
    /// Returns at that time (milliseconds since 1970), or somewhat earlier, or throws when cancelled.
    var sleep: @Sendable (_ until: Int64) async throws -> Void

    /// The longest sleep without a look at the wall clock, which may be set: milliseconds.
    private static let longest: Int64 = 60_000

    static let system = DeadlineClock(
        now: { WallClock.milliseconds() },
        sleep: { until in
            let rest = min(max(0, until - WallClock.milliseconds()), longest)
            try await Task.sleep(for: .milliseconds(rest))
        })
}
