/// How long things took, counted in buckets.
struct DurationHistogram: Sendable, Equatable {
    /// The upper bounds of the buckets, seconds; what took longer is counted behind the last.
    static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    private static let nanosecondBounds = bounds.map { Int64($0 * 1_000_000_000) }

    /// How many fell into each bucket alone; one more than ``bounds``.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var nanoseconds: Int64 = 0

    /// Everything that was counted.
    var count: Int { counts.reduce(0, +) }
    /// All durations together, seconds.
    var sum: Double { Double(nanoseconds) / 1_000_000_000 }

    /// Counts one duration.
    mutating func observe(nanoseconds value: Int64) {
        var index = 0
        while index < Self.nanosecondBounds.count, value > Self.nanosecondBounds[index] { index += 1 }
        counts[index] += 1
        nanoseconds &+= max(0, value)
    }
}
