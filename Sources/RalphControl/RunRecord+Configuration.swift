package import RalphSessions

extension LaunchPlan {
    /// What a run goes by whose configuration is one of `files`, best place first.
    func layers(files: [String]) -> ConfigurationLayers {
        var layers = ConfigurationLayers(files: files, hats: hats, completionPromise: completionPromise)
        layers.scratchpad = scratchpad
        return layers
    }

    /// The last `core.scratchpad=…` among ``overrides``.
    private var scratchpad: String? {
        let key = "core.scratchpad="
        return overrides.last { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
    }
}

/// What the run goes by. It keeps the configuration that it began with (docs/http-api.md, workspaces), whatever
/// becomes of the files meanwhile.
extension RunRecord {
    /// What the run was started with: our plan, else what the command line of somebody else's process stands for;
    /// `nil`: neither is known.
    package var startedWith: LaunchPlan? {
        guard plan == nil, var given = commandLinePlan else { return plan }
        // One that we made is no choice of anybody's; what it was made of, the lost plan told.
        if given.config == madeConfiguration { given.config = nil }
        return given
    }

    /// What the command line of somebody else's process stands for; `nil`: it is not known.
    var commandLinePlan: LaunchPlan? {
        // Controlled sessions lie in the `.ralph` of their workspace.
        let workspace = directory.pathParts?.parent ?? directory
        return commandLine.map {
            LaunchPlan(
                commandLine: $0, workspace: workspace, directory: workingDirectory,
                standardConfig: standardConfig, files: files)
        }
    }

    /// Notes which of the files are there that the run goes by.
    ///
    /// - Parameter place: where its process works.
    mutating func noteFiles(in place: String) {
        func found(_ path: String?) -> String? {
            path.flatMap { $0.hasPrefix("/") && EntryStatus(behindLinks: $0) != nil ? $0 : nil }
        }
        files = nil  // those of now count
        let plan = startedWith
        files = Files(
            config: found(plan?.config ?? place + "/" + SessionDirectory.configName), hats: found(plan?.hats))
    }

    /// The configuration that we made for the run's process, an absolute path; `nil`: it was given none of ours.
    var madeConfiguration: String? { output.map(RunFiles.config(beside:)) }

    /// Whether the run's process was given the first file of ``configuration``.
    var isConfigurationGiven: Bool { madeConfiguration != nil || startedWith?.config != nil }

    /// Whether all that its process was given was seen and names no configuration, and none was where it looks for one: it
    /// goes by Ralph's defaults, over which the user's own may lie (contract 4.7, 7.1).
    package var isWithoutConfiguration: Bool {
        // A process may have emptied its command line.
        guard commandLine?.isEmpty == false, isEnvironmentKnown == true, let files else { return false }
        return files.config == nil && !isConfigurationGiven
    }

    /// Where what the run goes by is to be read, its configuration's best place first: what its process was given,
    /// then what was chosen. `nil`: the workspace's `ralph.yml` tells as much.
    package var configuration: ConfigurationLayers? {
        let plan = startedWith
        let isOverlaid = plan.map { $0.layers(files: []) != ConfigurationLayers(files: []) } ?? false
        // A worktree loop that works in the main workspace goes by what lies there.
        let place = workingDirectory ?? (isOverlaid ? directory.pathParts?.parent : nil)
        let chosen = plan?.config ?? place.map { $0 + "/" + SessionDirectory.configName }
        // Of the many runs that are over, only those are worth a look that went by something else.
        if phase == .ended, chosen == nil { return nil }
        let files = [madeConfiguration, chosen].compactMap(\.self)
        if files.isEmpty { return nil }
        return plan?.layers(files: files) ?? ConfigurationLayers(files: files)
    }
}
