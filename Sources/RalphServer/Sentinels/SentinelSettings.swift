/// From when on a run's progress is told to be trouble; 0 means never.
package struct SentinelSettings: Sendable, Equatable {
    /// Longest silence and least number that can be asked for; besides 0.
    package static let stallBounds = 10...604_800
    package static let repeatBounds = 2...10_000
    package static let gateBounds = 1...1000
    package static let tokenBounds = 1...1_000_000_000
    /// More signals of one session in an hour are not told, but counted.
    static let maximumPerHour = 12

    /// Seconds without an event of a living run, 10 … 604800; default 1800: many a run tells something at the
    /// end of an iteration only.
    package var stallSeconds = 1800
    /// Rows of one topic in a row, 2 … 10 000; default 10.
    package var repeats = 10
    /// Failed gates in a row, 1 … 1000; default 3.
    package var failedGates = 3
    /// Tokens a minute, over ``SessionSigns/windowMinutes``, 1 … 10⁹; default 200 000.
    package var tokensPerMinute = 200_000

    package init() {}

    /// - Throws: ``ConfigurationProblem`` for a number outside its bounds.
    init(_ flags: ServerConfiguration.Flags) throws(ConfigurationProblem) {
        stallSeconds = try Self.number(
            flags.sentinelStallSeconds, stallSeconds, "--sentinel-stall", Self.stallBounds, "seconds")
        repeats = try Self.number(
            flags.sentinelRepeat, repeats, "--sentinel-repeat", Self.repeatBounds, "rows")
        failedGates = try Self.number(
            flags.sentinelGates, failedGates, "--sentinel-gates", Self.gateBounds, "gates")
        tokensPerMinute = try Self.number(
            flags.sentinelTokens, tokensPerMinute, "--sentinel-tokens", Self.tokenBounds, "tokens a minute")
    }

    private static func number(
        _ given: Int?, _ usual: Int, _ flag: String, _ bounds: ClosedRange<Int>, _ unit: String
    ) throws(ConfigurationProblem) -> Int {
        guard let given else { return usual }
        guard given == 0 || bounds.contains(given) else {
            throw ConfigurationProblem(
                "\(flag) \(given): \(bounds.lowerBound) to \(bounds.upperBound) \(unit), or 0 for never.")
        }
        return given
    }
}
