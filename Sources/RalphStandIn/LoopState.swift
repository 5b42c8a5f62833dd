/// What changes from iteration to iteration.
struct LoopState {
    /// The iteration that runs or ran last, over all continuations.
    var iteration = 0
    /// In dollars, over all continuations.
    var totalCost = 0.0
    /// Always ralph itself, once there was an iteration.
    var lastHat: String?
    /// The largest prompt of a turn.
    var peakInputTokens = 0
    /// Failed turns in a row.
    var consecutiveFailures = 0
    /// Bad lines since the last good one.
    var consecutiveMalformed = 0
    /// The event that came last, and how often in a row.
    var repeated: (event: String, count: Int) = ("", 0)
    /// Guidance nobody has acknowledged: it blocks completion (contract 6.5).
    var openGuidance = 0
    /// All guidance of this process, repeated in every prompt.
    var guidance: [String] = []
    /// For `required_events`.
    var seenTopics: Set<String> = []
    /// The last batch claimed completion.
    var isCompletionRequested = false
    /// The cancelling topic has come.
    var isCancellationRequested = false
    /// Iterations in a row that only a fallback made possible.
    var fallbacks = 0
    /// Asked by this process.
    var questions = 0
    /// Set by an agent's exit status 130 on a terminal.
    var isInterrupted = false
    /// On the clock that never jumps, in milliseconds.
    let startedAt = Moment.monotonicMilliseconds
    /// Since 1970, in milliseconds.
    let startedAtWallClock = Moment().milliseconds

    /// The run time of this process.
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
