import RalphSessions
import RalphWire

/// What is to become of a task; `nil` members stay as they are.
package struct TaskChange: Sendable, Equatable {
    package var status: TaskStatus?
    package var title: String?
    /// Empty: the description goes.
    package var description: String?
    /// 1 … 5.
    package var priority: Int?
    package var blockedBy: [String]?

    package init() {}

    package var isEmpty: Bool { self == TaskChange() }

    /// Carries it out on a line that is `record`, the times as Ralph keeps them (contract 6.1); whether that
    /// changes anything. `updated` is ours: Ralph does not know it and drops it when it writes.
    func apply(to line: inout TaskLine, _ record: TaskRecord, now: String) -> Bool {
        var changed = false
        if let title, title != record.title {
            line.set("title", title)
            changed = true
        }
        if let description, description != record.description ?? "" {
            if description.isEmpty {
                line.remove("description")
            } else {
                line.set("description", description)
            }
            changed = true
        }
        if let priority, priority != record.priority {
            line.set("priority", priority)
            changed = true
        }
        if let blockedBy, blockedBy != record.blockedBy {
            line.set("blocked_by", blockedBy)
            changed = true
        }
        if let status, status.rawValue != record.status {
            Self.set(status, in: &line, now: now)
            changed = true
        }
        if changed { line.set("updated", now) }
        return changed
    }

    private static func set(_ status: TaskStatus, in line: inout TaskLine, now: String) {
        line.set("status", status.rawValue)
        switch status {
        case .open: line.remove("closed")
        case .inProgress:
            if !line.has("started") { line.set("started", now) }
            line.remove("closed")
        case .closed, .failed: line.set("closed", now)
        }
    }
}
