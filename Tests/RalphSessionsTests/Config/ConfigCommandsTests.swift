import RalphSessions
import Testing

/// Every way in which a configuration can name something to run, or a file elsewhere to write (contract 7.1, 7.2).
struct ConfigCommandsTests {
    private func refused(_ yaml: String) -> String? {
        do {
            try ConfigCommands.check(yaml)
            return nil
        } catch let refused as RefusedCommand {
            return "\(refused)"
        } catch {
            return "no configuration"
        }
    }

    @Test(arguments: [
        "cli: {backend: claude}", "cli: {backend: auto, args: [--model, opus-4.1]}", "cli: {command: codex}",
        "cli: {backend: pi, args: ['--model=a/b:c'], prompt_mode: stdin}", "agent: gemini",
        "hats: {a: {backend: kiro, backend_args: [--model, x]}}", "agent_priority: [claude, amp]",
        "hats: {a: {backend: {type: kiro, args: []}, triggers: a.b, publishes: [c]}}",
        "hooks: {enabled: true, events: {}, defaults: {timeout_seconds: 3}}",
        "RObot: {enabled: true, mode: web}",
        "core: {scratchpad: .ralph/agent/scratchpad.md}", "core: {scratchpad: {enabled: true, path: a/b.md}}",
        "skills: {dirs: [.claude/skills]}", "event_loop: {prompt_file: PROMPT.md}", "# nothing\n", "cli:\n",
    ])
    func `known agents and files of the workspace may be named`(_ yaml: String) {
        #expect(refused(yaml) == nil)
    }

    @Test(arguments: [
        ("cli: {backend: custom, command: sh}", "cli.backend: custom"),
        ("cli: {command: /bin/sh}", "cli.command: /bin/sh"),
        ("cli: {command: ./claude}", "cli.command: ./claude"),
        ("cli: {command: 'claude '}", "cli.command: claude "),
        ("cli: {command: [sh, -c]}", "cli.command: must be one value"),
        ("cli: {args: [-c, id]}", "cli.args: -c"), ("cli: {args: [--model, -x]}", "cli.args: --model"),
        ("cli: {args: ['--model=x', '--mcp-config', '{}']}", "cli.args: --mcp-config"),
        ("cli: {args: '--settings x'}", "cli.args: must be a list"),
        ("cli: {prompt_flag: --settings}", "cli.prompt_flag: may not be set"), ("agent: bash", "agent: bash"),
        ("agent_priority: [claude, ./x]", "agent_priority: ./x"),
        ("cli: {env: {PATH: /tmp}}", "cli.env: this key is not known"),
        ("hats: {a: {backend: {command: sh, args: [-c, id]}}}", "hats.a.backend.command: sh"),
        ("hats: {a: {backend: {type: kiro, agent: ../x}}}", "hats.a.backend.agent: ../x"),
        ("hats: {a: {backend: custom}}", "hats.a.backend: custom"),
        ("hats: {a: {args: [x]}}", "hats.a.args: x"),
        ("hats: {a: {backend_args: [--x]}}", "hats.a.backend_args: --x"),
        ("hats: {a: {import: .ralph/agent/memories.md}}", "hats.a.import: may not be set"),
        (
            "hooks: {events: {pre.loop.start: [{name: a, command: [sh, -c, id]}]}}",
            "hooks.events.pre.loop.start[0].command: sh"
        ),
        ("hooks: {events: {x: {command: id}}}", "hooks.events.x[0].command: id"),
        ("hooks: {events: [1]}", "hooks.events: must be a map"),
        ("RObot: {telegram: {api_url: http://x}}", "RObot.telegram: may not be set"),
        ("gates: [{run: id}]", "gates: this key is not known"),
        ("features: {run: id}", "features.run: this key is not known"),
    ])
    func `what could run anything else is refused with its key`(_ yaml: String, _ why: String) {
        #expect(refused(yaml) == why)
    }

    @Test(arguments: [
        "core: {scratchpad: /etc/profile}", "core: {scratchpad: ~/.bashrc}", "core: {scratchpad: ../x.md}",
        "core: {scratchpad: .git/hooks/post-commit}", "core: {scratchpad: run.sh}",
        "core: {scratchpad: {path: /x.md}}",
        "hats: {a: {scratchpad: /x.md}}", "core: {specs_dir: /etc}", "skills: {dirs: [a, /etc]}",
        "prompt_file: ~/x",
        "event_loop: {prompt_file: a/../../x}", "core: {scratchpad: a/.x/y.md}",
    ])
    func `no file outside of the workspace, and no script in it, becomes a scratchpad`(_ yaml: String) {
        #expect(refused(yaml)?.contains(": ") == true)
    }

    @Test(arguments: [
        ("x: &a {command: sh}\ncli: *a\n", "x: this key is not known"),
        ("hats: {a: &a {description: x, args: [-c]}, b: *a}", "hats.a.args: -c"),
        ("memories: &a {enabled: true}\ncli: {<<: *a}\n", "cli.<<: this key is not known"),
        ("cli: {backend: claude}\n!x cli: {command: sh}\n", "cli.command: sh"),
        ("cli: !!str {command: sh}\n", "cli.command: sh"),
        ("cli: {? [a] : b}\n", "cli: has a key that is no word"),
        ("cli: {\"comm\\x61nd\": sh}\n", "cli.command: sh"),
        ("cli: {command: !!binary c2g=}\n", "cli.command: c2g="),
    ])
    func `aliases, merges, tags and escapes hide nothing`(_ yaml: String, _ why: String) {
        #expect(refused(yaml) == why)
    }

    @Test(arguments: [
        "cli: {backend: claude, backend: sh}", "a: 1\n---\ncli: {command: sh}\n", "- a", "cli: [", "&a [*a]",
    ])
    func `what has no one meaning is refused`(_ yaml: String) {
        #expect(refused(yaml) != nil)
    }
}
