import RalphSessions

/// What the run goes by. It keeps the configuration that it began with (docs/http-api.md, workspaces), whatever
/// becomes of the files meanwhile.
extension RunRecord {
    /// What the run was started with: our plan, else what the command line of somebody else's process stands for;
    /// `nil`: neither is known.
    package var startedWith: LaunchPlan? {
        guard plan == nil, let commandLine else { return plan }
        // Controlled sessions lie in the `.ralph` of their workspace.
        let workspace = directory.pathParts?.parent ?? directory
        var plan = LaunchPlan(
            commandLine: commandLine, workspace: workspace, directory: workingDirectory)
        // One that we made is no choice of anybody's; what it was made of, the lost plan told.
        if plan.config == madeConfiguration { plan.config = nil }
        return plan
    }

    /// The configuration that we made for the run's process, an absolute path; `nil`: it was given none of ours.
    var madeConfiguration: String? { output.map(RunFiles.config(beside:)) }

    /// Where the run's configuration is to be read, best place first: what its process was given, then what was
    /// chosen. Empty: the workspace's `ralph.yml` tells as much.
    package var configurationFiles: [String] {
        // A worktree loop that works in the main workspace goes by what lies there.
        let chosen = startedWith?.config ?? workingDirectory.map { $0 + "/" + SessionDirectory.configName }
        // Of the many runs that are over, only those are worth a look that went by another file.
        if phase == .ended, chosen == nil { return [] }
        return [madeConfiguration, chosen].compactMap(\.self)
    }
}
