/// A task that is to be made.
package struct TaskDraft: Sendable, Equatable {
    package var title: String
    package var description: String?
    /// 1 … 5.
    package var priority: Int
    package var blockedBy: [String]

    package init(title: String, description: String? = nil, priority: Int = 3, blockedBy: [String] = []) {
        self.title = title
        self.description = description
        self.priority = priority
        self.blockedBy = blockedBy
    }
}
