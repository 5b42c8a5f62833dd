import RalphSessions
import RalphWire

/// What the status adds to a session: everything that a client needs after it was away (http-contract 3.4).
struct SessionStatus: Encodable, Sendable {
    /// Checks by name, as far as the last verdict named them.
    struct Backpressure: Encodable, Sendable {
        let tests: Bool?
        let lint: Bool?
        let typecheck: Bool?
        let checked_at: String?
    }

    /// Figures of the last run; Ralph tells one kind of token only, so they all count as execution.
    struct TokenMetrics: Encodable, Sendable {
        let planning_tokens: Int
        let execution_tokens: Int
        let review_tokens: Int
        let total_remaining: Int?
        let input_tokens: Int
        let output_tokens: Int
        let estimated_cost_usd: Double
        let duration_ms: Int64?

        init(_ entry: CatalogueEntry, now: Int64) {
            let state = entry.state
            planning_tokens = 0
            execution_tokens = state.lastInputTokens + state.outputTokens
            review_tokens = 0
            total_remaining = nil
            input_tokens = state.lastInputTokens
            output_tokens = state.outputTokens
            estimated_cost_usd = state.cost.isFinite ? state.cost : 0
            duration_ms = entry.elapsedMilliseconds(now: now)
        }
    }

    let session: SessionObject
    let backpressure: Backpressure
    let token_metrics: TokenMetrics
    let avg_iteration_secs: Double?
    let estimated_remaining_secs: Int64?
    let pending_questions: Int

    /// - Parameter pending: how many of the session's questions can be answered.
    init(_ entry: CatalogueEntry, epoch: String, report: DiscoveryReport?, pending: Int, now: Int64) {
        session = SessionObject(entry, epoch: epoch, report: report, now: now)
        let state = entry.state
        let checks = state.backpressure?.checks
        backpressure = Backpressure(
            tests: checks?["tests"], lint: checks?["lint"], typecheck: checks?["typecheck"],
            checked_at: state.backpressure.map { Timestamp.text($0.at) })
        token_metrics = TokenMetrics(entry, now: now)
        let durations = state.iterations.filter { $0.run == state.runs }.compactMap(\.durationMilliseconds)
        let mean = durations.isEmpty ? nil : Double(durations.reduce(0, +)) / Double(durations.count) / 1000
        avg_iteration_secs = mean
        if let mean, let total = session.total, !entry.standing(now: now).isOver {
            // A limit may be any number.
            estimated_remaining_secs = Int64(
                min(mean * Double(max(0, total - state.completedIteration)), 1e15))
        } else {
            estimated_remaining_secs = nil
        }
        pending_questions = pending
    }

    private enum CodingKeys: String, CodingKey {
        case backpressure, token_metrics, avg_iteration_secs, estimated_remaining_secs, pending_questions
    }

    func encode(to encoder: any Encoder) throws {
        try session.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(backpressure, forKey: .backpressure)
        try container.encode(token_metrics, forKey: .token_metrics)
        try container.encodeIfPresent(avg_iteration_secs, forKey: .avg_iteration_secs)
        try container.encodeIfPresent(estimated_remaining_secs, forKey: .estimated_remaining_secs)
        try container.encode(pending_questions, forKey: .pending_questions)
    }
}
