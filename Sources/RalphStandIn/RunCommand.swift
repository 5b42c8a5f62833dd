import Foundation

/// `ralph run`: everything before the first iteration and after the last.
struct RunCommand {
    /// What was asked for.
    let options: RunOptions

    /// Runs a loop to its end.
    func perform() throws(StandInError) -> Int32 {
        Interrupt.leaveGroup()
        let configuration = try Configuration(options.sources)
        let home = Workspace.current
        if options.isContinuation, !TextFile.exists(home.resolve(configuration.scratchpad)) {
            throw .failure("Cannot continue: scratchpad not found at '\(configuration.scratchpad)'")
        }
        let (prompt, origin) = try resolvePrompt(configuration)
        if options.isDryRun {
            Output.line("Dry run: \(configuration.hats.count) hats, prompt \(origin)")
            return 0
        }
        try TextFile.makeDirectory(home.agentDirectory)
        guard let lock = try acquire(home) else {
            return try startWorktree(configuration, home, prompt, origin)
        }
        lock.replaceText(Self.lockText(prompt))
        let context = RunContext(
            options: options, configuration: configuration, workspace: home, home: home, prompt: prompt,
            promptOrigin: origin, loopID: loopID(home), isPrimary: true, program: Self.program)
        defer { lock.hold() }
        return try RunLife(context).run()
    }

    private func acquire(_ home: Workspace) throws(StandInError) -> LockedFile? {
        if let lock = try LockedFile(trying: home.lock) { return lock }
        return options.isExclusive ? try LockedFile(waitingFor: home.lock) : nil
    }

    private func startWorktree(
        _ configuration: Configuration, _ home: Workspace, _ prompt: String, _ origin: String
    ) throws(StandInError) -> Int32 {
        guard configuration.allowsParallel else {
            throw .failure("Another loop is already running in this workspace (features.parallel is off)")
        }
        let worktree = try Worktree.make(in: home, prompt: prompt)
        let context = RunContext(
            options: options, configuration: configuration, workspace: worktree.workspace, home: home,
            prompt: prompt, promptOrigin: origin, loopID: worktree.id, isPrimary: false, program: Self.program
        )
        try LoopRegistry(path: home.registry).add(worktree, prompt: prompt)
        return try RunLife(context).run()
    }

    /// `-p`, `-P`, `event_loop.prompt`, `event_loop.prompt_file`, `PROMPT.md` (contract 4.5).
    private func resolvePrompt(_ configuration: Configuration) throws(StandInError) -> (String, String) {
        if let text = options.prompt { return (text, "[inline]") }
        if options.promptFile == nil, let text = configuration.prompt { return (text, "[config]") }
        let file = options.promptFile ?? configuration.promptFile ?? "PROMPT.md"
        guard let text = TextFile.read(file) else {
            throw .failure(
                "Prompt file '\(file)' not found. Check the path or use -p \"text\" for inline prompt.")
        }
        return (text, file)
    }

    private func loopID(_ home: Workspace) -> String {
        if let id = options.loopID { return id }
        if options.isContinuation, let id = TextFile.read(home.loopID), !id.isEmpty { return id }
        return "primary-" + Moment().stamp
    }

    private static func lockText(_ prompt: String) -> String {
        JSONValue.object([
            JSONMember("pid", .integer(getpid())), JSONMember("started", .string(Moment().zuluText)),
            JSONMember("prompt", .string(String(prompt.prefix(100)))),
        ]).pretty
    }

    /// This program's own path.
    static var program: String {
        // Without procfs the name it was called by has to do.
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
            ?? CommandLine.arguments[0]
    }
}
