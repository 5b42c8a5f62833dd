/// Sessions (http-contract 3).
extension ClientModels {
    /// The words of `status` that the app knows (3.1).
    enum Status: String, Decodable, Sendable { case running, paused, stopped, completed, error, idle }

    /// The words of `mode`.
    enum Mode: String, Decodable, Sendable { case live, paused, complete }

    /// An element of the list, which decodes all or nothing (3.2).
    struct Session: Decodable, Sendable {
        enum Source: String, Decodable, Sendable { case spawned, discovered }

        let id: String
        let iteration: Count
        let total: Int?
        let hat: String?
        let elapsed_secs: Int?
        let mode: Mode
        let status: Status
        let started_at: Time?
        let trigger_event: String?
        let publishes: [String]?
        let last_event_at: Time?
        let ended_at: Time?
        let task_name: String?
        let working_dir: String
        let config_path: String?
        let prompt_path: String?
        let pid: Int?
        let source: Source
        let event_count: Int
        let last_seq: Int
        let last_event_id: String?
        let epoch: String
        let phase: String
        let hat_name: String?
        let loop_id: String?
        let exit_code: Int?
        let end_reason: String?
    }

    /// What the status adds (3.4).
    struct SessionStatus: Decodable, Sendable {
        struct Backpressure: Decodable, Sendable {
            let tests: Bool?
            let lint: Bool?
            let typecheck: Bool?
            let checked_at: Time?
        }

        struct TokenMetrics: Decodable, Sendable {
            let planning_tokens: Int
            let execution_tokens: Int
            let review_tokens: Int
            let total_remaining: Int?
            let input_tokens: Int
            let output_tokens: Int
            let estimated_cost_usd: Double
            let duration_ms: Int?
        }

        let id: String
        let mode: Mode
        let status: Status
        let recent_events: [Event]
        let first_seq: Int
        let last_seq: Int
        let event_count: Int
        let backpressure: Backpressure
        let token_metrics: TokenMetrics
        let avg_iteration_secs: Double?
        let estimated_remaining_secs: Int?
        let pending_questions: Count
        let events: [Event]?
        let has_more: Bool?
    }

    /// The session with its conversation (3.4, 16.3).
    struct SessionDetail: Decodable, Sendable {
        struct Conversation: Decodable, Sendable {
            let id: String
            let messages: [Message]
        }

        struct Message: Decodable, Sendable {
            enum Role: String, Decodable, Sendable { case user, assistant, tool, system }

            let id: String
            let seq: Int
            let role: Role
            let content: String
            let ts: Time
        }

        let id: String
        let session: Conversation
    }

    /// The scratchpad; `updated_at` must be there, if only as `null`.
    struct Scratchpad: Decodable, Sendable {
        let content: String
        let updated_at: Time?

        private enum CodingKeys: String, CodingKey { case content, updated_at }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            content = try container.decode(String.self, forKey: .content)
            let isNull = try container.decodeNil(forKey: .updated_at)
            updated_at = isNull ? nil : try container.decode(Time.self, forKey: .updated_at)
        }
    }

    struct Iterations: Decodable, Sendable {
        /// One of them; `hat` must be there, if only as `null`.
        struct Iteration: Decodable, Sendable {
            let number: Count
            let hat: String?
            let started_at: Time
            let duration_secs: Int?

            private enum CodingKeys: String, CodingKey { case number, hat, started_at, duration_secs }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                number = try container.decode(Count.self, forKey: .number)
                let isNull = try container.decodeNil(forKey: .hat)
                hat = isNull ? nil : try container.decode(String.self, forKey: .hat)
                started_at = try container.decode(Time.self, forKey: .started_at)
                duration_secs = try container.decodeIfPresent(Int.self, forKey: .duration_secs)
            }
        }

        let iterations: [Iteration]
        let total: Count
    }

    struct HistoryPage: Decodable, Sendable {
        let events: [Event]
        let first_seq: Int
        let last_seq: Int
        let epoch: String
        let has_more: Bool
        let before: String?
        let before_seq: Int?
    }
}
