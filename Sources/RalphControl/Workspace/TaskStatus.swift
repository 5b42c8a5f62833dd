/// What a task can be set to (contract 6.1).
package enum TaskStatus: String, Sendable, CaseIterable {
    case open
    case inProgress = "in_progress"
    case closed
    case failed

    /// Reads a status in any case.
    package init?(anyCase text: String) { self.init(rawValue: text.lowercased()) }
}
