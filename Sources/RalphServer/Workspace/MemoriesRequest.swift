import RalphControl
import RalphWire

/// The body of `PUT /api/memories` (http-contract 7).
struct MemoriesRequest: Sendable, Equatable {
    let content: String
    /// `last_modified` as the client knows it, milliseconds since 1970; `nil`: it does not matter.
    let known: Int64?

    /// - Throws: ``Problem`` 400, 413.
    init(_ body: RequestObject) throws(Problem) {
        guard let content = try body.text("content", limit: MemoryFile.maximumBytes) else {
            throw .invalidRequest("content is required")
        }
        self.content = content
        // What is no time is no file's either: the file is another than the client says.
        known = try body.text("last_modified", limit: 64).map { Timestamp.parse($0.utf8) ?? .min }
    }
}
