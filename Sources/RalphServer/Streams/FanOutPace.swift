/// When a loop may send to its streams again.
///
/// After a fan-out during which more has come it rests as long as the fan-out took. What comes meanwhile goes out in the
/// same writes, one for each stream: a loop with a thousand streams sends half as often and not half as much, and the
/// ingest thread gets its share of the processor. With few streams, or time between events, it never rests.
struct FanOutPace {
    /// The longest rest, in nanoseconds.
    static let longestRest: Int64 = 8_000_000

    /// Nanoseconds of a clock that never goes back.
    private var restsUntil: Int64 = 0

    /// When the next fan-out may begin; `nil`: now.
    func nextStart(at now: Int64) -> Int64? { now < restsUntil ? restsUntil : nil }

    /// A fan-out is over, and more has come meanwhile.
    mutating func noteFanOut(from start: Int64, to end: Int64) {
        restsUntil = end + min(max(0, end - start), Self.longestRest)
    }
}
