import Foundation

/// `ralph loops`, run from the main workspace (contract 5.2).
struct LoopsCommand {
    /// What was asked for.
    let request: LoopsRequest
    /// The workspace that it is called in.
    let home = Workspace.current

    /// Does what was asked.
    func perform() throws(StandInError) -> Int32 {
        let id = request.id ?? ""
        switch request.action {
        case "stop": try stop()
        case "resume": try resume(id)
        case "merge", "retry": try merge(id)
        case "discard": try discard(id)
        case "prune":
            let (_, dropped) = try LoopRegistry(path: home.registry).entries()
            Output.line("Pruned \(dropped) stale loop(s)")
        default: try list()
        }
        return 0
    }

    private var queue: MergeQueue { MergeQueue(path: home.mergeQueue) }

    /// The process that the lock file names, if it lives.
    private var primary: (pid: Int32, prompt: String)? {
        guard let record = TextFile.read(home.lock).flatMap(JSONParser.parse),
            let pid = record["pid"]?.integer.map({ Int32(truncatingIfNeeded: $0) }), kill(pid, 0) == 0
        else { return nil }
        return (pid, record["prompt"]?.text ?? "")
    }

    private func list() throws(StandInError) {
        var rows: [[String: String]] = []
        // `nil` is a lock that somebody holds: the one place where ralph probes it (contract 3.2).
        if let primary, try LockedFile(trying: home.lock) == nil {
            rows.append(Self.row("(primary)", "running", "(in-place)", primary.prompt))
        }
        let (living, _) = try LoopRegistry(path: home.registry).entries()
        for loop in living {
            let exists = loop.worktree.map(TextFile.exists) ?? true
            rows.append(
                Self.row(loop.id, exists ? "running" : "orphan", location(loop.workspace), loop.prompt))
        }
        for entry in try queue.entries() where !living.contains(where: { $0.id == entry.id }) {
            let isOver = ["merged", "discarded"].contains(entry.state)
            guard request.isAll || !isOver else { continue }
            let state = entry.state == "needs_review" ? "needs-review" : entry.state
            var row = Self.row(entry.id, state, isOver ? "-" : ".worktrees/\(entry.id)", entry.prompt)
            if state == "queued" { row["merge"] = primary == nil ? "ready" : "blocked" }
            rows.append(row)
        }
        show(rows)
    }

    private func location(_ workspace: String) -> String {
        workspace.hasPrefix(home.root + "/") ? String(workspace.dropFirst(home.root.count + 1)) : workspace
    }

    private static func row(_ id: String, _ status: String, _ place: String, _ prompt: String) -> [String:
        String]
    {
        ["id": id, "status": status, "location": place, "prompt": prompt]
    }

    private func show(_ rows: [[String: String]]) {
        guard request.isJSON else {
            return Output.line(
                rows.isEmpty
                    ? "No loops found."
                    : rows.map { "\($0["id"] ?? "")  \($0["status"] ?? "")  \($0["location"] ?? "")" }
                        .joined(separator: "\n"))
        }
        let values = rows.map { row in
            JSONValue.object(
                ["id", "status", "location", "prompt", "merge"].compactMap { key in
                    row[key].map { JSONMember(key, .string($0)) }
                })
        }
        Output.line(JSONValue.array(values).pretty)
    }

    /// Ralph looks for a lock inside the worktree, where none is ever written; only the primary can be stopped.
    private func stop() throws(StandInError) {
        var workspace = home
        if let id = request.id, id != "(primary)" {
            let (living, _) = try LoopRegistry(path: home.registry).entries()
            guard let loop = living.first(where: { $0.id == id }) else {
                throw .failure("Loop '\(id)' not found")
            }
            workspace = Workspace(root: loop.workspace)
        }
        guard let record = TextFile.read(workspace.lock).flatMap(JSONParser.parse),
            let pid = record["pid"]?.integer, kill(Int32(truncatingIfNeeded: pid), 0) == 0
        else { throw .failure("Cannot determine active loop") }
        if request.isForced {
            kill(Int32(truncatingIfNeeded: pid), SIGKILL)
            Output.line("Killed loop (PID \(pid))")
        } else {
            try TextFile.write("", to: workspace.stopRequested)
            Output.line("Stop requested for loop (PID \(pid))")
        }
    }

    private func resume(_ id: String) throws(StandInError) {
        var workspace = home
        if TextFile.read(home.loopID) != id, id != "(primary)" {
            workspace = Workspace(root: home.root + "/.worktrees/" + id)
        }
        guard TextFile.exists(workspace.suspendState) else { throw .failure("Loop '\(id)' is not suspended") }
        try TextFile.replace(workspace.resumeRequested, with: "")
        Output.line("Resume requested for loop '\(id)'")
    }

    /// Merges the branch by itself, where real ralph lets a merge loop do it.
    private func merge(_ given: String) throws(StandInError) {
        let target = request.action == "retry" ? Target(id: given) : try resolve(given)
        let id = target.id
        let state = try mergeable(id)
        if request.action == "retry", state != "needs_review" {
            throw .failure("Loop '\(id)' is not in needs-review")
        }
        try queue.append(.merging(pid: getpid()), of: id)
        do {
            try Git.run(["merge", "--no-edit", "ralph/" + id], in: home.root)
        } catch {
            // A merge that never began cannot be given up, which is as well.
            _ = try? Git.run(["merge", "--abort"], in: home.root)
            try queue.append(.needsReview(reason: "merge failed"), of: id)
            throw error
        }
        let commit = try Git.run(["rev-parse", "HEAD"], in: home.root)
        try queue.append(.merged(commit: commit.filter { !$0.isNewline }), of: id)
        try removeWorktree(Target(id: id, worktree: home.root + "/.worktrees/" + id))
        Output.line("Merged loop '\(id)'")
    }

    /// Where the loop stands in the queue, into which one that only has a worktree is put.
    private func mergeable(_ id: String) throws(StandInError) -> String {
        let (living, _) = try LoopRegistry(path: home.registry).entries()
        if living.contains(where: { $0.id == id }) { throw .failure("Loop '\(id)' is still running") }
        if let entry = try queue.entries().first(where: { $0.id == id }) {
            let states = ["queued", "needs_review"] + (request.isForced ? ["merging"] : [])
            guard states.contains(entry.state) else { throw .failure("Loop '\(id)' is \(entry.state)") }
            return entry.state
        }
        guard loopWorktrees().contains(where: { $0.branch == "ralph/" + id }) else {
            throw .failure("Loop '\(id)' is neither queued nor a worktree's")
        }
        try queue.append(.queued(prompt: "(orphan)"), of: id)
        return "queued"
    }

    /// Asks nobody whether the loop runs, and puts only into the queue what is there.
    private func discard(_ given: String) throws(StandInError) {
        let target = try resolve(given)
        guard request.isForced else { throw .failure("Refusing to discard without -y") }
        // A queue that cannot be read is one without entries here.
        if let entry = (try? queue.entries())?.first(where: { $0.id == target.id }) {
            guard ["queued", "needs_review"].contains(entry.state) else {
                throw .failure("Loop '\(target.id)' is \(entry.state)")
            }
            try queue.append(.discarded(reason: "User requested discard"), of: target.id)
        }
        try LoopRegistry(path: home.registry).remove(id: target.id)
        try removeWorktree(target)
        Output.line("Discarded loop '\(target.id)'")
    }

    /// Removes a worktree with the branch that it has, if that is a loop's; without a worktree the loop's branch.
    private func removeWorktree(_ target: Target) throws(StandInError) {
        var branch = "ralph/" + target.id
        if let path = target.worktree, TextFile.exists(path) {
            branch = try Git.run(["rev-parse", "--abbrev-ref", "HEAD"], in: path).filter { !$0.isNewline }
            try Git.run(["worktree", "remove", "--force", path], in: home.root)
        }
        guard branch.hasPrefix("ralph/") else { return }
        // It may be gone already, which is as well.
        _ = try? Git.run(["branch", "-D", branch], in: home.root)
    }
}
