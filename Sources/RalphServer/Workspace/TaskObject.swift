import RalphSessions
import RalphWire

/// A task on the wire (http-contract 7); member names are the wire's, absent ones are left out.
struct TaskObject: Encodable, Sendable {
    /// `GET /api/tasks`.
    struct List: Encodable, Sendable {
        let tasks: [TaskObject]
        /// All of the wanted status.
        let total: Int
        let has_more: Bool
        /// Lines of the file that are no tasks.
        let skipped_lines: Int

        init(_ page: TaskLines.Page, _ query: TaskRequest.Query) {
            tasks = page.tasks.map(TaskObject.init)
            total = page.total
            has_more = query.offset + query.limit < page.total
            skipped_lines = page.skippedLines
        }
    }

    let id: String
    let title: String
    let description: String?
    let status: String
    let priority: Int
    let blocked_by: [String]
    let loop_id: String?
    let created_at: String
    let updated_at: String

    init(_ task: TaskRecord) {
        id = task.id
        title = task.title
        description = task.description
        status = task.status
        priority = task.priority
        blocked_by = task.blockedBy
        loop_id = task.loopID
        created_at = Timestamp.text(task.created)
        updated_at = Timestamp.text(task.updated)
    }
}
