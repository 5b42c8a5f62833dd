/// An entry of `loops.json`: a loop that runs, or ran, in a worktree (contract 5.3).
package struct WorktreeLoop: Sendable, Equatable {
    package let id: String
    package let pid: Int32
    /// The worktree, as the entry spells it.
    package let workspace: String

    init?(_ record: LockRecord) {
        guard let id = record.loopID, let pid = record.pid, let workspace = record.workspace else {
            return nil
        }
        self.id = id
        self.pid = pid
        self.workspace = workspace
    }
}
