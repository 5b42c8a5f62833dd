import RalphControl
import RalphSessions
import RalphWire

/// A worktree whose branch Ralph takes for a loop's, as git lists it.
struct RalphWorktree: Sendable, Equatable {
    /// What the branches of loops begin with (contract 1.2).
    static let branchPrefix = "ralph/"
    /// How long git may take to list them.
    private static let patience: Duration = .seconds(5)
    /// Of the list, bytes.
    private static let maximumBytes = 4 << 20

    /// Absolute, as git has it.
    let path: String
    /// Without `refs/heads/`.
    let branch: String

    /// What Ralph takes for the loop's id: the branch without its prefix, however often it stands there.
    var loopID: String {
        var id = Substring(branch)
        while id.hasPrefix(Self.branchPrefix) { id = id.dropFirst(Self.branchPrefix.count) }
        return String(id)
    }

    /// The worktrees of the repository of `workspace`, in git's order; none where git cannot tell, as for Ralph.
    ///
    /// Asked with the program and the environment that Ralph asks with a moment later.
    /// - Throws: ``Problem`` 500 if git does not answer in time, is ended by a signal or cannot be started.
    static func list(_ workspace: String, _ settings: ControlSettings) async throws(Problem)
        -> [RalphWorktree]
    {
        var ralph = settings
        ralph.environment = settings.ralphEnvironment
        guard let git = ralph.program("git") else { return [] }
        var environment = ralph.environment
        environment["PWD"] = workspace
        environment["OLDPWD"] = nil
        let run = CapturedRun(
            program: git, arguments: ["--no-pager", "worktree", "list", "--porcelain"], directory: workspace,
            environment: environment, maximumOutputBytes: maximumBytes)
        let outcome: CapturedRun.Outcome?
        do {
            outcome = try await run.run(until: .now + patience)
        } catch .ralphMissing {
            return []
        } catch {
            throw .commandError("git cannot be started")
        }
        guard let outcome, !outcome.isCut else {
            throw .commandError("git did not list the worktrees in \(patience.components.seconds) s")
        }
        // Ralph may get its answer a moment later.
        guard let code = outcome.code else { throw .commandError("a signal ended git") }
        return code == 0 ? parse(outcome.output) : []
    }

    /// Reads what `git worktree list --porcelain` says: a paragraph for each, `worktree` and `branch` among its lines.
    static func parse(_ output: [UInt8]) -> [RalphWorktree] {
        var found: [RalphWorktree] = []
        var path: String?
        for line in output.split(separator: 0x0A) {
            let text = String(decoding: line, as: UTF8.self)
            if let rest = text.rest(behind: "worktree ") { path = rest }
            if let branch = text.rest(behind: "branch refs/heads/"), branch.hasPrefix(branchPrefix), let path
            {
                found.append(RalphWorktree(path: path, branch: branch))
            }
        }
        return found
    }
}

extension String {
    /// What follows `prefix`; `nil`: it does not begin so.
    fileprivate func rest(behind prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
