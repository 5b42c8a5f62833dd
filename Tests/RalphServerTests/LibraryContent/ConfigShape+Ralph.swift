/// The configuration of Ralph 2.10 (contract 7.1 and 7.2), without what it only keeps for old files: flat
/// keys, `starting_hat`, `project`.
extension ConfigShape {
    /// Any number from nothing up.
    private static let count = whole(0...Int.max)
    /// Any number above nothing.
    private static let some = whole(1...Int.max)
    private static let texts = list(text)
    private static let topics = list(topic)

    /// The names that `-b` takes (contract 4.7), and `auto`.
    static let backend = word([
        "auto", "claude", "kiro", "kiro-acp", "gemini", "codex", "forge", "amp", "copilot", "opencode", "pi",
        "roo",
        "custom",
    ])

    /// A whole `ralph.yml`.
    static let configuration = record(runtime.merging(parts) { $1 })

    /// What works with `-c` and with `-H` (contract 7.1): hats, their events, and the loop around them.
    static let preset = record(parts, required: ["event_loop", "hats"])

    /// Hats to take over.
    static let hats = record(["hats": table(hat)], required: ["hats"])

    private static let parts: [String: ConfigShape] = [
        "event_loop": eventLoop,
        "events": table(record(["description": text, "on_trigger": text, "on_publish": text])),
        "hats": table(hat),
    ]

    private static let runtime: [String: ConfigShape] = [
        "cli": record([
            "backend": backend, "command": text, "args": texts, "prompt_mode": word(["arg", "stdin"]),
            "prompt_flag": text, "default_mode": word(["autonomous", "interactive"]),
            "idle_timeout_secs": count,
        ]),
        "core": record(["scratchpad": scratchpad, "specs_dir": text, "guardrails": texts]),
        "memories": record([
            "enabled": flag, "inject": word(["auto", "manual", "none"]), "budget": count,
            "filter": record([
                "types": list(word(["pattern", "decision", "fix", "context"])), "tags": texts,
                "recent": count,
            ]),
        ]),
        "tasks": record(["enabled": flag]),
        "skills": record([
            "enabled": flag, "dirs": texts,
            "overrides": table(
                record([
                    "enabled": flag, "hats": texts, "backends": list(backend), "tags": texts,
                    "auto_inject": flag,
                ])),
        ]),
        "hooks": hooks,
        "features": record([
            "parallel": flag, "auto_merge": flag,
            "loop_naming": record(["format": text, "max_length": some]),
            "preflight": record(["enabled": flag, "strict": flag, "skip": texts]),
        ]),
        "RObot": record([
            "enabled": flag, "mode": word(["telegram", "web"]), "timeout_seconds": count,
            "checkin_interval_seconds": some, "telegram": record(["bot_token": text, "api_url": text]),
        ]),
        "adapters": table(record(["timeout": some, "enabled": flag, "tool_permissions": texts])),
        "tui": record(["prefix_key": text]),
    ]

    private static let eventLoop = record([
        "prompt": text, "prompt_file": text, "completion_promise": topic, "max_iterations": some,
        "max_runtime_seconds": some, "max_cost_usd": amount(0...Double.greatestFiniteMagnitude),
        "max_consecutive_failures": some, "cooldown_delay_seconds": count, "starting_event": topic,
        "required_events": topics, "cancellation_promise": topic, "persistent": flag,
        "enforce_hat_scope": flag,
        "mutation_score_warn_threshold": amount(0...100), "context_window_tokens": count,
    ])

    private static let hat = record(
        [
            "name": text, "description": text, "triggers": topics, "publishes": topics, "instructions": text,
            "extra_instructions": texts, "default_publishes": topic, "max_activations": some,
            "backend": either([
                backend, record(["type": text, "args": texts], required: ["type"]),
                record(["type": text, "agent": text, "args": texts], required: ["type", "agent"]),
                record(["command": text, "args": texts], required: ["command"]),
            ]),
            "backend_args": texts, "args": texts, "scratchpad": scratchpad, "disallowed_tools": texts,
            "timeout": some, "concurrency": some,
            "aggregate": record(["mode": word(["wait_for_all"]), "timeout": some], required: ["mode"]),
        ], required: ["name", "description", "triggers", "publishes", "instructions"])

    private static let scratchpad = either([text, record(["enabled": flag, "path": text])])

    private static let suspendMode = word(["wait_for_resume", "retry_backoff", "wait_then_retry"])

    private static let hooks = record([
        "enabled": flag,
        "defaults": record(["timeout_seconds": some, "max_output_bytes": some, "suspend_mode": suspendMode]),
        "events": record(
            Dictionary(
                uniqueKeysWithValues: [
                    "loop.start", "iteration.start", "plan.created", "human.interact", "loop.complete",
                    "loop.error",
                ].flatMap { [("pre.\($0)", list(hook)), ("post.\($0)", list(hook))] })),
    ])

    private static let hook = record(
        [
            "name": text, "command": texts, "cwd": text, "env": table(text), "timeout_seconds": some,
            "max_output_bytes": some, "on_error": word(["warn", "block", "suspend"]),
            "suspend_mode": suspendMode,
            "mutate": record(["enabled": flag, "format": text]),
        ], required: ["name", "command", "on_error"])
}
