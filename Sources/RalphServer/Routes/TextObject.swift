import RalphSessions
import RalphWire

/// A scratchpad, summary or handoff on the wire; without content where there is none.
struct TextObject: Encodable, Sendable {
    let content: String
    let updated_at: String?
    /// `nil`: it is not told.
    let truncated: Bool?

    init(_ document: SessionDocument?) {
        content = document?.content ?? ""
        updated_at = document.map { Timestamp.text($0.modified) }
        truncated = document?.isCut ?? false
    }

    /// Of a scratchpad only a cut is told.
    init(_ file: SessionFiles.Scratchpad?) {
        content = file?.content ?? ""
        updated_at = file.map { Timestamp.text($0.modified) }
        truncated = file?.isCut == true ? true : nil
    }

    private enum CodingKeys: String, CodingKey { case content, updated_at, truncated }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(content, forKey: .content)
        try container.encode(updated_at, forKey: .updated_at)  // null, not absent (http-contract 3.4)
        try container.encodeIfPresent(truncated, forKey: .truncated)
    }
}
