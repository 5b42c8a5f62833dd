import RalphSessions
import RalphWire

/// The iterations of a session's last run, ascending (http-contract 3.4).
struct IterationList: Encodable, Sendable {
    /// One of them. An unknown `hat` is `null`; `duration_secs` is left out while nobody knows it.
    struct Iteration: Encodable, Sendable {
        let number: Int
        let hat: String?
        let started_at: String
        let duration_secs: Int64?

        private enum CodingKeys: String, CodingKey { case number, hat, started_at, duration_secs }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(number, forKey: .number)
            try container.encode(hat, forKey: .hat)
            try container.encode(started_at, forKey: .started_at)
            try container.encodeIfPresent(duration_secs, forKey: .duration_secs)
        }
    }

    let iterations: [Iteration]
    let total: Int

    init(_ entry: CatalogueEntry) {
        let state = entry.state
        // Rows need not come in the order of their numbers.
        let records = state.iterations.filter { $0.run == state.runs }.sorted { $0.number < $1.number }
        iterations = records.map { record in
            Iteration(
                number: record.number, hat: record.hat.isEmpty ? nil : record.hat,
                started_at: Timestamp.text(record.startedAt ?? entry.startedAt ?? state.lastEventAt ?? 0),
                duration_secs: record.durationMilliseconds.map { $0 / 1000 })
        }
        // Of a long run the oldest ones are not kept, or were before the first sight; their numbers begin at 1.
        let isCut =
            state.runs == 0
            || state.iterations.count == SessionNarrator.maximumIterations
                && records.count == state.iterations.count
        total = max(iterations.count, isCut ? records.last?.number ?? 0 : 0)
    }
}
