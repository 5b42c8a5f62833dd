/// What changes from iteration to iteration.
struct LoopState {
    var iteration = 0
    var totalCost = 0.0
    var lastHat: String?
    var peakInputTokens = 0
    var consecutiveFailures = 0
    var consecutiveMalformed = 0
    /// The event that came last, and how often in a row.
    var repeated: (event: String, count: Int) = ("", 0)
    /// Guidance nobody has acknowledged: it blocks completion (contract 6.5).
    var openGuidance = 0
    /// All guidance of this process, repeated in every prompt.
    var guidance: [String] = []
    var seenTopics: Set<String> = []
    var isCompletionRequested = false
    var isCancellationRequested = false
    var fallbacks = 0
    var questions = 0
    /// Set by an agent's exit status 130 on a terminal.
    var isInterrupted = false
    let startedAt = Moment.monotonicMilliseconds
    let startedAtWallClock = Moment().milliseconds

    var elapsedMilliseconds: Int { Moment.monotonicMilliseconds - startedAt }

    /// `api/loop-state.json` (contract 2.6).
    var file: String {
        let peak = lastHat.map { [JSONMember($0, .integer(peakInputTokens))] } ?? []
        return JSONValue.object([
            JSONMember("iteration", .integer(iteration)), JSONMember("total_cost_usd", .fraction(totalCost)),
            JSONMember("last_hat", .optional(lastHat)),
            JSONMember("peak_input_tokens", .integer(peakInputTokens)),
            JSONMember("last_input_tokens", peakInputTokens == 0 ? .null : .integer(peakInputTokens)),
            JSONMember("hat_peak_input_tokens", .object(peakInputTokens == 0 ? [] : peak)),
        ]).pretty
    }

    /// Takes over what `--continue` restores (contract 4.5): counters and cost, no failures, no run time.
    mutating func restore(_ text: String) {
        guard let saved = JSONParser.parse(text) else { return }
        iteration = saved["iteration"]?.integer ?? 0
        totalCost = saved["total_cost_usd"]?.fraction ?? 0
        lastHat = saved["last_hat"]?.text
        peakInputTokens = saved["peak_input_tokens"]?.integer ?? 0
    }

    /// `36m 51s`, as `loop.terminate` has it.
    var duration: String {
        let seconds = elapsedMilliseconds / 1000
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        if hours > 0 { return "\(hours)h \(minutes)m \(rest)s" }
        return minutes > 0 ? "\(minutes)m \(rest)s" : "\(rest)s"
    }
}
