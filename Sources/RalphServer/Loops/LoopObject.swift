import RalphWire

/// A loop on the wire (http-contract 8); member names are the wire's.
struct LoopObject: Encodable, Sendable {
    /// All of them.
    struct List: Encodable, Sendable {
        let loops: [LoopObject]
        /// Which `loops.json` could not be read, and why; absent if none.
        let problems: [String]?

        init(_ lists: [LoopList]) {
            loops = lists.flatMap(\.loops).map(LoopObject.init)
            let problems = lists.compactMap(\.problem)
            self.problems = problems.isEmpty ? nil : problems.map(\.fileLine)
        }
    }

    let id: String
    let status: String
    let prompt: String
    let pid: Int32
    let started_at: String
    let worktree_path: String?
    let workspace: String
    let alive: Bool
    let session_id: String?

    init(_ loop: Loop) {
        id = loop.id
        status = loop.isPrimary ? "primary" : "worktree"
        prompt = loop.prompt
        pid = max(0, loop.pid)
        started_at = Timestamp.text(loop.startedAt)
        worktree_path = loop.worktree
        workspace = loop.worktree ?? loop.workspace
        alive = loop.isAlive
        session_id = loop.session?.rawValue
    }
}
