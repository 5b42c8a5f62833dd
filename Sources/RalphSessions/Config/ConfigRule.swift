/// What may stand at a place of a configuration that comes from elsewhere.
indirect enum ConfigRule: Sendable {
    /// One plain value.
    case value
    /// One plain value, or a list of such.
    case values
    /// A map with these keys and no others.
    case map([String: ConfigRule])
    /// A map with any keys.
    case members(ConfigRule)
    /// The name of a backend.
    case backend
    /// A list of such names.
    case backends
    /// A backend's name, or a map that describes one (contract 7.2).
    case hatBackend
    /// A program.
    case program
    /// Arguments of a program.
    case arguments
    /// A path below the workspace, or a list of such.
    case paths
    /// A Markdown file below the workspace, which Ralph deletes and writes; or a map with its `path`.
    case scratchpad
    /// Programs that Ralph runs at certain moments.
    case hooks
    /// Nothing.
    case nothing

    /// A map of plain values.
    static func plain(_ keys: String...) -> [String: ConfigRule] {
        Dictionary(uniqueKeysWithValues: keys.map { ($0, .value) })
    }
}

/// The whole of a configuration (contract 7.1, 7.2). A key that is not here may be one by which a newer Ralph runs
/// something, and is refused.
extension ConfigRule {
    static let document: ConfigRule = .map(
        plain(
            "name", "description", "completion_promise", "max_iterations", "max_runtime", "max_cost",
            "verbose"
        )
        .merging([
            "event_loop": eventLoop, "cli": cli, "core": core, "hats": .members(hat),
            "events": .members(.map(plain("description", "on_trigger", "on_publish"))),
            "memories": .map(
                plain("enabled", "inject", "budget").merging([
                    "filter": .map(["types": .values, "tags": .values, "recent": .value])
                ]) { $1 }),
            "tasks": .map(plain("enabled")), "tui": .map(plain("prefix_key")), "skills": skills,
            "hooks": hookSection, "features": features, "RObot": robot, "adapters": adapters,
            "agent": .backend, "agent_priority": .backends, "prompt_file": .paths,
        ]) { $1 })

    private static let eventLoop: ConfigRule = .map(
        plain(
            "prompt", "completion_promise", "max_iterations", "max_runtime_seconds", "max_cost_usd",
            "max_consecutive_failures", "cooldown_delay_seconds", "starting_event", "starting_hat",
            "cancellation_promise", "persistent", "enforce_hat_scope", "mutation_score_warn_threshold",
            "context_window_tokens"
        ).merging(["prompt_file": .paths, "required_events": .values]) { $1 })

    private static let cli: ConfigRule = .map(
        plain("prompt_mode", "default_mode", "idle_timeout_secs").merging([
            "backend": .backend, "command": .program, "args": .arguments, "prompt_flag": .nothing,
        ]) { $1 })

    private static let core: ConfigRule = .map([
        "scratchpad": .scratchpad, "specs_dir": .paths, "guardrails": .values,
    ])

    private static let hat: ConfigRule = .map(
        plain(
            "name", "description", "instructions", "default_publishes", "max_activations", "timeout",
            "concurrency"
        ).merging([
            "triggers": .values, "publishes": .values, "extra_instructions": .values,
            "disallowed_tools": .values, "backend": .hatBackend, "backend_args": .arguments,
            "args": .arguments, "scratchpad": .scratchpad, "aggregate": .map(plain("mode", "timeout")),
            // What it would name can change behind the check.
            "import": .nothing,
        ]) { $1 })

    private static let skills: ConfigRule = .map([
        "enabled": .value, "dirs": .paths,
        "overrides": .members(
            .map([
                "enabled": .value, "hats": .values, "backends": .values, "tags": .values,
                "auto_inject": .value,
            ])),
    ])

    private static let hookSection: ConfigRule = .map([
        "enabled": .value, "events": .hooks,
        "defaults": .map(plain("timeout_seconds", "max_output_bytes", "suspend_mode")),
    ])

    private static let features: ConfigRule = .map([
        "parallel": .value, "auto_merge": .value, "loop_naming": .map(plain("format", "max_length")),
        "preflight": .map(["enabled": .value, "strict": .value, "skip": .values]),
    ])

    /// Who chooses the bot and its server commands the run through them.
    private static let robot: ConfigRule = .map(
        plain("enabled", "mode", "timeout_seconds", "checkin_interval_seconds").merging([
            "telegram": .nothing
        ]) { $1 })

    private static let adapters: ConfigRule = .members(
        .map(["timeout": .value, "enabled": .value, "tool_permissions": .values]))
}
