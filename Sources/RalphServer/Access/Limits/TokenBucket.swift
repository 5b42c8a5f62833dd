/// Grants so many requests a second, and some more at once when it was quiet before.
///
/// Kept as the time at which the bucket will be full again (the generic cell rate algorithm, ITU-T I.371): one
/// number, no timer, no rounding that adds up.
struct TokenBucket: Fading, Equatable {
    /// Nanoseconds of the clock that the caller brings.
    private var fullAt: Int64 = .min

    /// Takes one token, if there is one.
    ///
    /// - Parameter now: nanoseconds of a clock that never goes back.
    /// - Returns: `nil` if it was there; else the nanoseconds until there will be one.
    mutating func take(_ rate: RequestRates.Rate, at now: Int64) -> Int64? {
        let interval = Self.second / Int64(rate.perSecond)
        let next = max(fullAt, now) + interval
        let wait = next - now - interval * Int64(rate.burst)
        guard wait <= 0 else { return wait }
        fullAt = next
        return nil
    }

    /// A full bucket is as good as none.
    func hasFaded(at now: Int64) -> Bool { fullAt <= now }

    private static let second: Int64 = 1_000_000_000
}
