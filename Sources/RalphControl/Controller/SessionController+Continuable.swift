import RalphSessions

/// What a run that ends by its pause is continued with, and whether it can be.
extension SessionController {
    /// Refuses to end a run by a pause that no resume could continue, as far as files tell that now.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)``.
    func requireContinuable(_ record: RunRecord) throws(ControlError) {
        try requireNoMerge(record)
        let plan = try continuationPlan(record)
        do throws(ControlError) {
            _ = try launcher.check(plan)
        } catch .failedToSpawn(let reason), .ralphMissing(let reason) {
            throw .notContinuable(reason)
        }
        do throws(ControlError) {
            try files.requireScratchpad(configuration(of: plan)?.scratchpad)
        } catch .unwritable(let path, let reason) {
            throw .notContinuable("its scratchpad cannot be made: \(path): \(reason)")
        }
    }

    /// Refuses to end a run by a pause: one that merges a loop, or for whose end a merge waits.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)``.
    func requireNoMerge(_ record: RunRecord) throws(ControlError) {
        // Its continuation would merge nothing (contract 5.4), and commit what is not committed (4.7).
        if let loop = record.process?.mergedLoop { throw .notContinuable("it merges the loop \(loop)") }
        try requireNoMergeHere()
        // It has the lock before a resume could, and removes what that would go on from (contract 1.1, 5.4).
        if ProcessTree().isMerging(nil, in: session.directory.workspace) { throw Self.mergeWaits }
    }

    /// Refuses to end a run by a pause while this server begins a merge.
    ///
    /// A merge is known here before it looks for paused runs. Asked again when a pause is stored, it is refused or sees that.
    func requireNoMergeHere() throws(ControlError) {
        if reports.isMerge(session.directory.workspace) { throw Self.mergeWaits }
    }

    private static let mergeWaits = ControlError.notContinuable("a merge waits for its end")

    /// What a run is continued with that ends by its pause: where its workspace lacks a file, with the one that it began with,
    /// where its process worked.
    ///
    /// - Throws: ``ControlError/notContinuable(_:)`` where the gate cannot be put into its configuration, or a file is gone
    ///   without which it would be another run.
    func continuationPlan(_ record: RunRecord) throws(ControlError) -> LaunchPlan {
        var plan =
            record.plan ?? record.commandLinePlan ?? LaunchPlan(workspace: session.directory.workspace)
        if let config = plan.config, ConfigurationLayers.isAddress(config) {
            throw .notContinuable(
                "its configuration is an address, and only a file can be given the pause gate")
        }
        let standard = plan.workspace + "/" + SessionDirectory.configName
        // A continuation works in the worktree, which has a copy of its own unless git ignores the file (contract 1.2).
        let isMissing = plan.config == nil && EntryStatus.isAbsent(standard)
        if let found = record.files?.config, isMissing || plan.config == found {
            try Self.require(found, "configuration")
            plan.config = found
        }
        if let found = record.files?.hats {
            try Self.require(found, "file of hats")
            plan.hats = found
        }
        let places = [plan.workspace, record.workingDirectory].compactMap(\.self)
        if case .configured = plan.prompt, let file = try promptFile(of: plan, in: places),
            file.pathParts?.parent != plan.workspace
        {
            plan.prompt = .file(file)
        }
        return plan
    }

    /// The file of a prompt that is read anew (contract 4.5), in the first of `places` that has it; `nil`: the configuration
    /// has the text.
    private func promptFile(of plan: LaunchPlan, in places: [String]) throws(ControlError) -> String? {
        let config = configuration(of: plan)
        let standard = plan.workspace + "/" + SessionDirectory.configName
        // What is wrong with a configuration that is there, whoever is to use it says.
        if config == nil, plan.config != nil || !EntryStatus.isAbsent(standard) { return nil }
        if let config, config.promptFile == nil { return nil }
        let name = config?.promptFile ?? WorkspaceConfig.standardPromptFile
        let paths = name.hasPrefix("/") ? [name] : places.map { $0 + "/" + name }
        if let path = paths.first(where: { !EntryStatus.isAbsent($0) }) { return path }
        throw .notContinuable("its prompt \(paths.first ?? name) is not there")
    }

    private static func require(_ path: String, _ what: String) throws(ControlError) {
        if EntryStatus.isAbsent(path) { throw .notContinuable("its \(what) \(path) is gone") }
    }
}
