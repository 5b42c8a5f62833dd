import Foundation

/// What a signal says: its threshold, and what was measured. Members that do not belong to it are left out.
struct SentinelPayload: Encodable, Sendable, Equatable {
    var iteration: Int?
    /// `stalled`
    var threshold_secs: Int?
    var silent_secs: Int64?
    var last_event_at: String?
    /// `repeating`, `gates_failing`
    var threshold: Int?
    var count: Int?
    var topic: String?
    var since: String?
    /// `burning`
    var threshold_tokens_per_minute: Int?
    var tokens_per_minute: Int?
    var window_minutes: Int64?
    /// `recovered`
    var from: String?

    /// The JSON text.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
