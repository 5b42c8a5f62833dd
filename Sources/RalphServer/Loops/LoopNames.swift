import RalphSessions
import RalphWire

/// Where `ralph loops` looks for an id: it also takes a part of one for the whole, and whatever fits first (contract 5.2).
struct LoopNames: Sendable {
    /// The loop that an id is taken for.
    struct Finding: Sendable, Equatable {
        let id: String
        /// What a discard removes; `nil`: none that git lists.
        var worktree: RalphWorktree?
    }

    /// Ids of `loops.json`.
    var registered: [String] = []
    /// Ids of the merge queue.
    var queued: [String] = []
    /// In git's order.
    var worktrees: [RalphWorktree] = []

    init(registered: [String] = [], queued: [String] = [], worktrees: [RalphWorktree] = []) {
        self.registered = registered
        self.queued = queued
        self.worktrees = worktrees
    }

    /// The names of a workspace but for its worktrees.
    ///
    /// - Throws: ``Problem`` 500 for a `loops.json` that cannot be read.
    init(_ file: LoopsFile, _ queue: MergeQueue) throws(Problem) {
        queued = queue.items.map(\.id)
        switch file {
        case .records(let records):
            // Ralph drops the entries of processes that are gone before it looks.
            registered = records.filter { $0.pid.map(RunningProcess.exists) ?? true }.compactMap(\.loopID)
        case .unfinished(nil): break
        case .unfinished(let problem?), .unreadable(let problem): throw problem
        }
    }

    /// Whether ``find(_:)`` comes to the worktrees.
    func needsWorktrees(for id: String, _ action: LoopJobs.Action) -> Bool {
        !registered.contains { $0.contains(id) } && (action == .discard || !queued.contains(id))
    }

    /// What Ralph takes `id` for; `nil`: for nothing.
    func find(_ id: String) -> Finding? {
        if let other = registered.first(where: { $0 == id }) ?? registered.first(where: { $0.contains(id) }) {
            return Finding(id: other)
        }
        if let other = queued.first(where: { $0 == id }) ?? queued.first(where: { $0.contains(id) }) {
            return Finding(id: other, worktree: worktrees.first { $0.branch.hasSuffix(other) })
        }
        return worktrees.first { $0.branch.contains(id) }.map { Finding(id: $0.loopID, worktree: $0) }
    }

    /// Why Ralph would not merge or discard `loop` if it were told to; blocks for links in paths.
    func problem(with loop: Loop, _ action: LoopJobs.Action) -> Problem? {
        guard let found = find(loop.id) else { return .loopIsUnknown(loop.id) }
        guard found.id == loop.id else { return .loopIDIsUnclear(loop.id, action, takenFor: found.id) }
        guard let worktree = found.worktree, action == .discard || !queued.contains(loop.id) else {
            return nil
        }
        if worktree.loopID != loop.id {
            return .loopIDIsUnclear(loop.id, action, takenFor: worktree.loopID)
        }
        // Where nobody has found one, it is wherever git has it.
        guard loop.worktree != nil, !loop.isAt(worktree.path) else { return nil }
        return .loopIDIsUnclear(loop.id, action, takenFor: worktree.path)
    }
}

extension Loop {
    /// Whether its worktree may be the one at `path`, under whatever name.
    fileprivate func isAt(_ path: String) -> Bool {
        let names = [path, path.canonicalPath].compactMap(\.self)
        return places.contains { place in names.contains { $0.isPath(place) } }
    }
}
