import RalphSessions

/// What a run beside the session's one takes over of that.
extension SessionController {
    /// How long git may take to say what it ignores, of all files together.
    private static let gitPatience = Duration.seconds(5)

    /// Refuses a loop that would be paused or ended by what was asked of the session's own run: Ralph copies whatever git does
    /// not ignore into a new worktree, control files as well, and looks at them there (contract 1.2, 4.2, 4.4).
    func requireNothingInherited() async throws(ControlError) {
        let deadline = ContinuousClock.now + Self.gitPatience
        for name in files.holding {
            if await isCopied(name, until: deadline) { throw .wouldInherit(file: name) }
        }
    }

    /// Whether Ralph copies what has this name in the session's directory; `false` where git cannot say it.
    private func isCopied(_ name: String, until deadline: ContinuousClock.Instant) async -> Bool {
        let directory = session.directory
        do {
            guard let place = try GitPlace(workspace: directory.workspace, roots: settings.places ?? [])
            else { return false }
            let git = try GitReader(settings, hiding: [], until: deadline)
            return try await !git.ignores(directory.path + "/" + name, in: place)
        } catch {
            // What is wrong with the repository, Ralph says.
            return false
        }
    }
}
