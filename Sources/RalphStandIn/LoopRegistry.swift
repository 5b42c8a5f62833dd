import Glibc

/// `loops.json`: the worktree loops (contract 5.3). Every access drops those whose process is gone.
struct LoopRegistry {
    /// One loop.
    struct Entry {
        let id: String
        let pid: Int32
        let started: String
        let prompt: String
        let worktree: String?
        let workspace: String
    }

    /// Absolute.
    let path: String

    /// Puts this process in.
    func add(_ worktree: Worktree, prompt: String) throws(StandInError) {
        let entry = Entry(
            id: worktree.id, pid: getpid(), started: Moment().zuluText, prompt: prompt,
            worktree: worktree.workspace.root, workspace: worktree.workspace.root)
        try change {
            $0.removeAll { $0.pid == entry.pid }; $0.append(entry)
        }
    }

    /// Takes the loop of a process out.
    func remove(pid: Int32) throws(StandInError) { try change { $0.removeAll { $0.pid == pid } } }

    /// Takes a loop out.
    func remove(id: String) throws(StandInError) { try change { $0.removeAll { $0.id == id } } }

    /// The loops that live, and how many were dropped because they do not.
    func entries() throws(StandInError) -> (living: [Entry], dropped: Int) {
        var living: [Entry] = []
        var count = 0
        try change(counting: { count = $0 }) { living = $0 }
        return (living, count - living.count)
    }

    /// Rewrites the file in place, under its own lock.
    private func change(
        counting: (Int) -> Void = { _ in }, _ body: (inout [Entry]) -> Void
    ) throws(StandInError) {
        let file = try LockedFile(waitingFor: path)
        let all = JSONParser.parse(file.text)?["loops"]?.elements.compactMap(Entry.init) ?? []
        counting(all.count)
        var entries = all.filter { kill($0.pid, 0) == 0 || errno == EPERM }
        body(&entries)
        let loops = JSONMember("loops", .array(entries.map(\.json)))
        file.replaceText(JSONValue.object([loops]).pretty)
    }
}

extension LoopRegistry.Entry {
    fileprivate init?(_ value: JSONValue) {
        guard let id = value["id"]?.text, let pid = value["pid"]?.integer else { return nil }
        self.init(
            id: id, pid: Int32(truncatingIfNeeded: pid), started: value["started"]?.text ?? "",
            prompt: value["prompt"]?.text ?? "", worktree: value["worktree_path"]?.text,
            workspace: value["workspace"]?.text ?? "")
    }

    fileprivate var json: JSONValue {
        var members = [
            JSONMember("id", .string(id)), JSONMember("pid", .integer(pid)),
            JSONMember("started", .string(started)), JSONMember("prompt", .string(prompt)),
        ]
        if let worktree { members.append(JSONMember("worktree_path", .string(worktree))) }
        members.append(JSONMember("workspace", .string(workspace)))
        return .object(members)
    }
}
