/// What a session did and used in a stretch of time: sums, but for the peak.
public struct Figures: Sendable, Equatable {
    /// Runs that began.
    public var runs: Int64 = 0
    /// Iterations that ended.
    public var iterations: Int64 = 0
    /// As Ralph tells it of an iteration: its largest prompt, not all of its prompts (contract 2.7).
    public var inputTokens: Int64 = 0
    public var outputTokens: Int64 = 0
    /// Like ``inputTokens`` the largest of each iteration.
    public var cacheReadTokens: Int64 = 0
    public var cacheWriteTokens: Int64 = 0
    /// The largest prompt of all.
    public var peakInputTokens: Int64 = 0
    /// 10⁻⁹ US dollars, so that sums stay exact.
    public var costNanodollars: Int64 = 0
    /// Tool calls that began; only a run's own output tells of them.
    public var toolCalls: Int64 = 0
    /// Verdicts on the evidence of agents, by Ralph's rules (contract 2.7).
    public var gatesPassed: Int64 = 0
    public var gatesFailed: Int64 = 0
    /// From the start of runs to their end, pauses inside included.
    public var runMilliseconds: Int64 = 0
    /// For which living runs were suspended; lies inside ``runMilliseconds``.
    public var suspendedMilliseconds: Int64 = 0
    /// From runs that were paused by their end to their continuation; lies outside of ``runMilliseconds``.
    public var haltedMilliseconds: Int64 = 0

    public init() {}

    /// What runs took without their pauses.
    public var workedMilliseconds: Int64 { max(0, runMilliseconds - suspendedMilliseconds) }

    public var pausedMilliseconds: Int64 { suspendedMilliseconds.addingClamped(haltedMilliseconds) }

    /// US dollars.
    public var cost: Double { Double(costNanodollars) / 1e9 }

    /// Takes the figures of another stretch of time in; sums end at the largest number there is.
    public mutating func add(_ other: Figures) {
        for path in Self.sums {
            self[keyPath: path] = self[keyPath: path].addingClamped(other[keyPath: path])
        }
        peakInputTokens = max(peakInputTokens, other.peakInputTokens)
    }

    /// Adds US dollars; at most a million of them at once.
    public mutating func addCost(_ dollars: Double) {
        let nanodollars = (max(0, min(dollars, 1e6)) * 1e9).rounded()
        costNanodollars = costNanodollars.addingClamped(Int64(nanodollars))
    }

    /// All members that are sums.
    public static let sums: [any WritableKeyPath<Figures, Int64> & Sendable] = [
        \.runs, \.iterations, \.inputTokens, \.outputTokens, \.cacheReadTokens, \.cacheWriteTokens,
        \.costNanodollars, \.toolCalls, \.gatesPassed, \.gatesFailed, \.runMilliseconds,
        \.suspendedMilliseconds, \.haltedMilliseconds,
    ]
}

extension Int64 {
    /// The sum, or the nearest number that there is.
    func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        guard overflows else { return sum }
        return other > 0 ? .max : .min
    }
}
