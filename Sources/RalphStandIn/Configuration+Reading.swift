import Foundation

/// Layers, each over the one before: `~/.ralph/config.yml`, the `-c` file, `-H` hats, `core.…` overrides.
extension Configuration {
    /// Reads what `sources` name; a missing file is a warning and means defaults.
    init(_ sources: ConfigurationSources) throws(StandInError) {
        let environment = ProcessInfo.processInfo.environment
        var settings = Settings.empty
        if let home = environment["HOME"], let text = TextFile.read(home + "/.ralph/config.yml") {
            settings = try Settings(yaml: text, of: home + "/.ralph/config.yml")
        }
        let overrides = sources.files.filter { $0.hasPrefix("core.") && $0.contains("=") }
        let file =
            sources.files.first { !overrides.contains($0) } ?? environment["RALPH_CONFIG"] ?? "ralph.yml"
        if let text = TextFile.read(file) {
            settings = settings.merged(with: try Settings(yaml: text, of: file))
        } else {
            Output.note("Warning: Config file '\(file)' not found, using defaults")
        }
        for source in sources.hats {
            let hats = try Self.hats(of: source)
            // They take the place of those that the file has.
            settings = settings.without(Array(hats.members.keys.filter { $0 != "event_loop" })).merged(
                with: hats)
        }
        try read(settings)
        if let lock = environment[DemoOwner.variable], !lock.isEmpty { play(for: DemoOwner(lock: lock)) }
        for override in overrides where override.hasPrefix("core.scratchpad=") {
            scratchpad = String(override.dropFirst("core.scratchpad=".count))
        }
    }

    /// A hats source may say only this much (contract 7.1). The builtin presets are known by name only.
    private static func hats(of source: String) throws(StandInError) -> Settings {
        if source.hasPrefix("builtin:") { return .empty }
        guard let text = TextFile.read(source) else {
            throw .failure("Hats file not found: \(source)")
        }
        let settings = try Settings(yaml: text, of: source)
        let loop = settings.section("event_loop")
            .only(["completion_promise", "starting_event", "cancellation_promise"])
        return settings.only(["hats", "events"]).merged(with: loop.below("event_loop"))
    }

    private mutating func read(_ settings: Settings) throws(StandInError) {
        if settings.members["project"] != nil {
            throw .failure("Invalid config: the 'project' section is not supported; use 'core'")
        }
        readLoop(settings.section("event_loop"))
        readBackend(settings.section("cli"))
        let core = settings.section("core")
        scratchpad = core.text("scratchpad") ?? core.section("scratchpad").text("path") ?? scratchpad
        hasMemories = settings.section("memories").flag("enabled") ?? hasMemories
        hasTasks = settings.section("tasks").flag("enabled") ?? hasTasks
        let features = settings.section("features")
        allowsParallel = features.flag("parallel") ?? allowsParallel
        mergesAutomatically = features.flag("auto_merge") ?? mergesAutomatically
        readHats(settings.section("hats"))
        try readHooks(settings.section("hooks"))
        try readRobot(settings.section("RObot"))
        if backend == "custom", command == nil {
            throw .failure("Custom backend requires a command: set 'cli.command' in your config")
        }
    }

    private mutating func readLoop(_ loop: Settings) {
        prompt = loop.text("prompt")
        promptFile = loop.text("prompt_file")
        completionPromise = loop.text("completion_promise") ?? completionPromise
        cancellationPromise = loop.text("cancellation_promise") ?? cancellationPromise
        maxIterations = loop.integer("max_iterations") ?? maxIterations
        maxRuntimeSeconds = loop.seconds("max_runtime_seconds") ?? maxRuntimeSeconds
        maxCost = loop.seconds("max_cost_usd")
        maxConsecutiveFailures = loop.integer("max_consecutive_failures") ?? maxConsecutiveFailures
        cooldownSeconds = loop.seconds("cooldown_delay_seconds") ?? cooldownSeconds
        startingEvent = loop.text("starting_event")
        requiredEvents = loop.texts("required_events")
        isPersistent = loop.flag("persistent") ?? isPersistent
        enforcesHatScope = loop.flag("enforce_hat_scope") ?? enforcesHatScope
    }

    private mutating func readBackend(_ cli: Settings) {
        backend = cli.text("backend") ?? backend
        command = cli.text("command")
        arguments = cli.texts("args")
        takesPromptOnInput = cli.text("prompt_mode") == "stdin"
        promptFlag = cli.text("prompt_flag")
    }

    /// Has the play take the place of whatever agent was configured: none in a demonstration is an AI.
    private mutating func play(for owner: DemoOwner) {
        isPlay = true
        command = RunCommand.program
        arguments = owner.agentArguments
        takesPromptOnInput = false
        promptFlag = nil
    }

    private mutating func readHats(_ hats: Settings) {
        self.hats = hats.members.keys.sorted().map { id in
            let hat = hats.section(id)
            let more = hat.texts("extra_instructions")
            return Hat(
                id: id, name: hat.text("name") ?? id, triggers: hat.texts("triggers"),
                publishes: hat.texts("publishes"), defaultPublishes: hat.text("default_publishes"),
                instructions: ([hat.text("instructions") ?? ""] + more).joined(separator: "\n"))
        }
    }

    private mutating func readHooks(_ hooks: Settings) throws(StandInError) {
        guard hooks.flag("enabled") ?? false else { return }
        let defaults = hooks.section("defaults")
        let events = hooks.section("events")
        for phase in events.members.keys {
            var list: [Hook] = []
            for hook in events.sections(phase) {
                guard let failure = hook.text("on_error").flatMap(Hook.Failure.init) else {
                    throw .failure("Invalid config: hook at '\(phase)' needs on_error (warn, block, suspend)")
                }
                let mode = hook.text("suspend_mode") ?? defaults.text("suspend_mode") ?? ""
                list.append(
                    Hook(
                        name: hook.text("name") ?? "hook", command: hook.texts("command"),
                        directory: hook.text("cwd"),
                        environment: hook.section("env").members.mapValues { "\($0)" },
                        timeoutSeconds: hook.seconds("timeout_seconds") ?? defaults.seconds("timeout_seconds")
                            ?? 30,
                        failure: failure, suspendMode: Hook.SuspendMode(rawValue: mode) ?? .waitForResume))
            }
            self.hooks[phase] = list
        }
    }

    private mutating func readRobot(_ robot: Settings) throws(StandInError) {
        guard robot.flag("enabled") ?? false else { return }
        guard let timeout = robot.integer("timeout_seconds") else {
            throw .failure("Invalid config: RObot.timeout_seconds is required when RObot is enabled")
        }
        self.robot = Robot(
            mode: robot.text("mode") == "web" ? .web : .telegram, timeoutSeconds: timeout,
            checkinSeconds: robot.integer("checkin_interval_seconds"))
    }
}
