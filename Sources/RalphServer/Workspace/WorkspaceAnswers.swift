import RalphControl
import RalphWire

// The answers of http-contract 7 and 10 that are not about tasks; member names are the wire's.

/// `GET` and `PUT /api/memories`.
struct MemoriesObject: Encodable, Sendable {
    let content: String
    /// `nil`: there is no file.
    let last_modified: String?
    /// `true`: invalid UTF-8 was replaced; else absent.
    let repaired: Bool?

    init(_ content: FileContent) {
        self.content = content.shownText
        last_modified = content.modified.map(Timestamp.text)
        repaired = content.text == nil ? true : nil
    }

    private enum CodingKeys: String, CodingKey { case content, last_modified, repaired }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(content, forKey: .content)
        try container.encode(last_modified, forKey: .last_modified)  // null, not absent
        try container.encodeIfPresent(repaired, forKey: .repaired)
    }
}

/// `POST /api/memories/export`.
struct MemoriesExport: Encodable, Sendable {
    let content: String
    let exported_at: String
    let filename: String
    /// As in ``MemoriesObject``.
    let repaired: Bool?

    init(_ content: FileContent, now: Int64) {
        self.content = content.shownText
        repaired = content.text == nil ? true : nil
        exported_at = Timestamp.text(now)
        filename = "memories-\(FileStamp.text(now)).md"
    }
}

extension FileContent {
    /// As text; what is no UTF-8 shows as U+FFFD.
    fileprivate var shownText: String { String(decoding: bytes, as: UTF8.self) }
}

/// `POST /api/config/export`.
struct ConfigExport: Encodable, Sendable {
    let content: String
    let filename: String
}

/// `POST /api/config/import`.
struct ConfigImport: Encodable, Sendable {
    let status = "Configuration imported successfully"
    let path: String
    /// Where the old one is, in the same directory; `nil`: there was none.
    let backup: String?
}
