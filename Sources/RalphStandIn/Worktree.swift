import Foundation

/// The checkout of a parallel loop (contract 1.2, 5.1).
struct Worktree {
    /// Two words; also the end of the branch's name.
    let id: String
    /// The checkout.
    let workspace: Workspace

    private static let adjectives = ["amber", "brisk", "calm", "eager", "fair", "keen", "lively", "swift"]
    private static let nouns = ["badger", "falcon", "heron", "lotus", "maple", "otter", "peacock", "rose"]

    /// Adds a worktree on a branch of its own, with what is not committed in the main checkout copied into it.
    static func make(in home: Workspace, prompt: String) throws(StandInError) -> Worktree {
        guard TextFile.exists(home.root + "/.git") else {
            throw .failure("Cannot start a parallel loop: not a git repository")
        }
        let ignore = home.root + "/.gitignore"
        let ignored = TextFile.read(ignore) ?? ""
        if !ignored.split(separator: "\n").contains(where: { $0.hasPrefix(".worktrees") }) {
            try TextFile.append(
                [(ignored.isEmpty || ignored.hasSuffix("\n") ? "" : "\n") + ".worktrees/\n"], to: ignore)
        }
        let id = try freeName(in: home)
        let path = home.root + "/.worktrees/" + id
        try Git.run(["worktree", "add", "-b", "ralph/" + id, path], in: home.root)
        let worktree = Worktree(id: id, workspace: Workspace(root: path))
        try worktree.copyUncommitted(from: home)
        try worktree.share(with: home)
        try worktree.writeContext(home, prompt)
        return worktree
    }

    private static func freeName(in home: Workspace) throws(StandInError) -> String {
        // Asked of git: in a worktree, and once they are packed, branches are no files of this directory.
        let branches = try Git.run(
            ["for-each-ref", "--format=%(refname:strip=3)", "refs/heads/ralph"], in: home.root)
        let taken = Set(branches.split(separator: "\n").map(String.init))
        for _ in 0..<1000 {
            guard let adjective = adjectives.randomElement(), let noun = nouns.randomElement() else { break }
            let name = adjective + "-" + noun
            if !taken.contains(name), !TextFile.exists(home.root + "/.worktrees/" + name) { return name }
        }
        throw .failure("no free name for a worktree loop")
    }

    private func copyUncommitted(from home: Workspace) throws(StandInError) {
        let untracked = try Git.run(["ls-files", "-z", "--others", "--exclude-standard"], in: home.root)
        let modified = try Git.run(["ls-files", "-z", "--modified"], in: home.root)
        for name in (untracked + modified).split(separator: "\0").map(String.init) {
            guard let data = FileManager.default.contents(atPath: home.root + "/" + name) else { continue }
            let target = workspace.root + "/" + name
            try TextFile.makeDirectory((target as NSString).deletingLastPathComponent)
            guard FileManager.default.createFile(atPath: target, contents: data) else {
                throw .failure("cannot copy \(name) into the worktree")
            }
        }
    }

    private func share(with home: Workspace) throws(StandInError) {
        try TextFile.makeDirectory(workspace.agentDirectory)
        for name in ["agent/memories.md", "specs", "tasks"] {
            let target = workspace.directory + "/" + name
            // A file that is there already stays (contract 1.2).
            try? FileManager.default.createSymbolicLink(
                atPath: target, withDestinationPath: home.directory + "/" + name)
        }
    }

    private func writeContext(_ home: Workspace, _ prompt: String) throws(StandInError) {
        let text = """
            # Worktree Context

            - **Loop ID**: \(id)
            - **Workspace**: \(workspace.root)
            - **Main Repo**: \(home.root)
            - **Branch**: ralph/\(id)
            - **Created**: \(Moment().offsetText)
            - **Prompt**: "\(prompt.prefix(200))"

            """
        try TextFile.write(text, to: workspace.context)
    }
}
