/// Which loop an id means, exact or not (contract 5.2).
extension LoopsCommand {
    /// A loop that was found.
    struct Target {
        let id: String
        /// Absolute; `nil`: nothing says where it is.
        var worktree: String?
    }

    /// The loop of `id`: the registered ones come first, then the queue, then branches of worktrees; in each an id that
    /// has `id` in it is as good.
    func resolve(_ id: String) throws(StandInError) -> Target {
        let (living, _) = try LoopRegistry(path: home.registry).entries()
        if let loop = living.first(where: { $0.id == id }) ?? living.first(where: { $0.id.contains(id) }) {
            return Target(id: loop.id, worktree: loop.worktree)
        }
        let worktrees = loopWorktrees()
        // A queue that cannot be read is one without entries here.
        let queued = (try? MergeQueue(path: home.mergeQueue).entries()) ?? []
        if let entry = queued.first(where: { $0.id == id }) ?? queued.first(where: { $0.id.contains(id) }) {
            return Target(id: entry.id, worktree: worktrees.first { $0.branch.hasSuffix(entry.id) }?.path)
        }
        guard let found = worktrees.first(where: { $0.branch.contains(id) }) else {
            throw .failure("Loop '\(id)' not found")
        }
        return Target(id: String(found.branch.dropFirst("ralph/".count)), worktree: found.path)
    }

    /// The worktrees with a branch `ralph/…`, as git lists them; none where it cannot.
    func loopWorktrees() -> [(path: String, branch: String)] {
        // Ralph goes on without them as well.
        let list = (try? Git.run(["worktree", "list", "--porcelain"], in: home.root)) ?? ""
        var found: [(path: String, branch: String)] = []
        var path = ""
        for line in list.split(separator: "\n") {
            if line.hasPrefix("worktree ") { path = String(line.dropFirst("worktree ".count)) }
            guard line.hasPrefix("branch refs/heads/ralph/") else { continue }
            found.append((path, String(line.dropFirst("branch refs/heads/".count))))
        }
        return found
    }
}
