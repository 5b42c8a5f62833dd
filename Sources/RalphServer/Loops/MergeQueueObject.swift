import Foundation
import RalphWire

/// The merge queues of all workspaces on the wire (http-contract 8); member names are the wire's.
struct MergeQueueObject: Encodable, Sendable {
    /// One loop.
    struct Item: Encodable, Sendable {
        let id: String
        let status: String
        /// The queue's own word, which is finer.
        let state: String
        let prompt: String
        let worktree_path: String?
        let queued_at: String
        let merged_at: String?
        let commit: String?
        let reason: String?
        let workspace: String

        init(_ item: MergeQueue.Item, _ workspace: String) {
            id = item.id
            state = item.state.rawValue
            switch item.state {
            case .queued, .merging: status = item.isLeft ? "failed" : "pending"
            case .merged: status = "completed"
            case .needsReview, .discarded: status = "failed"
            }
            prompt = item.prompt
            let usual = LoopReader.worktree(item.id, of: workspace)
            worktree_path =
                item.worktree ?? (FileManager.default.fileExists(atPath: usual) ? usual : nil)
            queued_at = Timestamp.text(item.queuedAt)
            merged_at = item.state == .merged ? Timestamp.text(item.changedAt) : nil
            commit = item.commit
            reason = item.isLeft ? MergeQueueObject.leftReason(item, workspace) : item.reason
            self.workspace = workspace
        }

    }

    /// Why a merge that was left is not one that goes on: its process is gone, as far as can be seen from here.
    static func leftReason(_ item: MergeQueue.Item, _ workspace: String) -> String {
        let isOpen = FileManager.default.fileExists(atPath: workspace + "/.git/MERGE_HEAD")
        return "The process \(item.pid ?? 0) that merges it is not seen here"
            + "\(isOpen ? ", and git's merge is not concluded" : ""); unless it works elsewhere, as in a container, "
            + "ralph loops merge --force \(item.id) begins anew."
    }

    /// Newest first by when they were queued.
    let pending: [Item]
    /// What is over, newest end first.
    let completed: [Item]
    /// Lines that could not be read.
    let skipped_lines: Int
    /// Which `merge-queue.jsonl` could not be read, and why; absent if none.
    let problems: [String]?

    /// What one workspace adds; made where it may block.
    struct Part: Sendable {
        /// Each with the time by which it is sorted.
        let pending: [(at: Int64, item: Item)]
        let completed: [(at: Int64, item: Item)]
        let skippedLines: Int

        init(_ queue: MergeQueue, _ workspace: String) {
            let isPending = { (item: MergeQueue.Item) in
                item.state == .queued || item.state == .merging && !item.isLeft
            }
            pending = queue.items.filter(isPending).map { ($0.queuedAt, Item($0, workspace)) }
            completed = queue.items.filter { !isPending($0) }.map { ($0.changedAt, Item($0, workspace)) }
            skippedLines = queue.skippedLines
        }
    }

    init(_ parts: [Part], problems: [Problem] = []) {
        pending = Self.sorted(parts.flatMap(\.pending))
        completed = Self.sorted(parts.flatMap(\.completed))
        skipped_lines = parts.reduce(0) { $0 + $1.skippedLines }
        self.problems = problems.isEmpty ? nil : problems.map(\.fileLine)
    }

    private static func sorted(_ items: [(at: Int64, item: Item)]) -> [Item] {
        items.sorted { ($0.at, $0.item.id) > ($1.at, $1.item.id) }.map(\.item)
    }
}
