import RalphWire

/// Figures on the wire; every answer with figures has these members, by these names.
struct FigureObject: Encodable, Sendable, Equatable {
    let runs: Int64
    let iterations: Int64
    let input_tokens: Int64
    let output_tokens: Int64
    let cache_read_tokens: Int64
    let cache_write_tokens: Int64
    let peak_input_tokens: Int64
    let cost_usd: Double
    let worked_ms: Int64
    let paused_ms: Int64
    let tool_calls: Int64
    let gates_passed: Int64
    let gates_failed: Int64

    init(_ figures: Figures) {
        runs = figures.runs
        iterations = figures.iterations
        input_tokens = figures.inputTokens
        output_tokens = figures.outputTokens
        cache_read_tokens = figures.cacheReadTokens
        cache_write_tokens = figures.cacheWriteTokens
        peak_input_tokens = figures.peakInputTokens
        cost_usd = figures.cost
        worked_ms = figures.workedMilliseconds
        paused_ms = figures.pausedMilliseconds
        tool_calls = figures.toolCalls
        gates_passed = figures.gatesPassed
        gates_failed = figures.gatesFailed
    }
}

/// The figures of one day of UTC.
struct FigureDayObject: Encodable, Sendable {
    /// `2026-02-05`.
    let day: String
    let figures: FigureObject

    /// - Parameter day: days since 1970-01-01.
    init(_ day: Int64, _ figures: Figures) {
        self.day = Self.text(day)
        self.figures = FigureObject(figures)
    }

    static func text(_ day: Int64) -> String {
        String(Timestamp.text(day * FigureDays.dayMilliseconds).prefix(10))
    }

    private enum CodingKeys: String, CodingKey { case day }

    func encode(to encoder: any Encoder) throws {
        try figures.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(day, forKey: .day)
    }
}
