/// The JSON of an event (http-contract 4.3). The client turns a value of a wrong type into nothing; here it throws.
extension ClientModels {
    struct Event: Decodable, Sendable {
        enum Source: String, Decodable, Sendable { case engine, agent, server, user }

        let id: String
        let seq: Int?
        let session_id: String
        let type: String
        let ts: Time
        let topic: String
        let payload: String?
        let hat: String?
        let iteration: Count?
        let triggered: String?
        let tool: String?
        let status: String?
        let input: [String: Value]?
        let output: String?
        let duration: Int?
        let source: Source
    }

    /// The payload of `assistant`: both counts, at the top, or the client adds nothing.
    struct Usage: Decodable, Sendable {
        struct Tokens: Decodable, Sendable {
            let input_tokens: Int
            let output_tokens: Int
        }

        let usage: Tokens
    }

    /// The payload of `result`; a fraction in `duration_ms` makes both fail.
    struct FinalCost: Decodable, Sendable {
        let total_cost_usd: Double
        let duration_ms: Int
    }
}
