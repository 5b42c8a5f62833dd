import RalphControl
import RalphWire

/// The bodies and the query of the task routes, their types checked (http-contract 7).
enum TaskRequest {
    /// UTF-8 bytes; more is 413.
    static let maximumTitleBytes = 1000
    /// UTF-8 bytes; more is 413.
    static let maximumDescriptionBytes = 64 << 10
    /// Tasks that one can wait for.
    static let maximumBlockers = 100
    /// UTF-8 bytes of an id in `blocked_by`.
    static let maximumIDBytes = 128
    /// Tasks in one answer; also what an answer has if none is asked for.
    static let maximumCount: Int64 = 10_000

    /// Which tasks a list has.
    struct Query: Sendable, Equatable {
        var status: TaskStatus?
        var offset: Int
        var limit: Int

        /// - Throws: ``Problem`` 400.
        init(_ query: QueryItems) throws(Problem) {
            status = try query["status"].map { text throws(Problem) in try TaskRequest.status(text) }
            offset = Int(try query.integer("offset", in: 0...Int64(Int32.max)) ?? 0)
            limit = Int(try query.integer("limit", in: 1...maximumCount) ?? maximumCount)
        }
    }

    /// - Throws: ``Problem`` 400, 413.
    static func draft(_ body: RequestObject) throws(Problem) -> TaskDraft {
        guard let title = try title(body) else { throw .emptyTitle }
        return TaskDraft(
            title: title, description: try body.argument("description", limit: maximumDescriptionBytes),
            priority: try priority(body) ?? 3, blockedBy: try blockers(body) ?? [])
    }

    /// - Throws: ``Problem`` 400, also for a body that changes nothing, 413.
    static func change(_ body: RequestObject) throws(Problem) -> TaskChange {
        var change = TaskChange()
        if body.has("status") {
            change.status = try status(try body.text("status", limit: 1000) ?? "")
        }
        change.title = try title(body)
        change.description = try body.text("description", limit: maximumDescriptionBytes)
        change.priority = try priority(body)
        change.blockedBy = try blockers(body)
        guard !change.isEmpty else {
            throw .invalidRequest("status, title, description, priority or blocked_by is required")
        }
        return change
    }

    private static func status(_ text: String) throws(Problem) -> TaskStatus {
        guard let status = TaskStatus(anyCase: text) else { throw .invalidTaskStatus(text) }
        return status
    }

    private static func title(_ body: RequestObject) throws(Problem) -> String? {
        guard let title = try body.text("title", limit: maximumTitleBytes) else { return nil }
        guard title.contains(where: { !$0.isWhitespace }) else { throw .emptyTitle }
        return title
    }

    private static func priority(_ body: RequestObject) throws(Problem) -> Int? {
        try body.integer("priority", in: 1...5, otherwise: .invalidPriority)
    }

    private static func blockers(_ body: RequestObject) throws(Problem) -> [String]? {
        try body.strings("blocked_by", count: maximumBlockers, limit: maximumIDBytes)
    }
}
