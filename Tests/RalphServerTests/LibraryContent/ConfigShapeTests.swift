import Testing
import Yams

/// The validator itself, with configurations that are broken in one way each.
@Suite struct ConfigShapeTests {
    private func findings(_ yaml: String, _ shape: ConfigShape = .configuration) throws -> [String] {
        let root = try #require(try Yams.compose(yaml: yaml))
        return shape.check(root, at: "") + ConfigRules.check(root)
    }

    @Test(arguments: [
        ("colour: red", "colour: is not known"),
        ("project: {}", "project: is not known"),
        ("max_iterations: 3", "max_iterations: is not known"),
        ("event_loop: {starting_hat: planner}", "event_loop.starting_hat: is not known"),
        ("event_loop: []", "event_loop: must be a mapping"),
        (
            "event_loop: {max_iterations: many}",
            "event_loop.max_iterations: must be a whole number in 1...9223372036854775807"
        ),
        (
            "event_loop: {max_iterations: 0}",
            "event_loop.max_iterations: must be a whole number in 1...9223372036854775807"
        ),
        (
            "event_loop: {max_iterations: \"3\"}",
            "event_loop.max_iterations: must be a whole number in 1...9223372036854775807"
        ),
        (
            "event_loop: {mutation_score_warn_threshold: 101}",
            "event_loop.mutation_score_warn_threshold: must be a number in 0.0...100.0"
        ),
        ("event_loop: {persistent: yes}", "event_loop.persistent: must be true or false"),
        ("event_loop: {required_events: build.done}", "event_loop.required_events: must be a list"),
        ("event_loop: {required_events: [build..done]}", "event_loop.required_events[0]: must be a topic"),
        ("event_loop: {completion_promise: \"all done\"}", "event_loop.completion_promise: must be a topic"),
        ("event_loop: {prompt: a, prompt_file: b.md}", "event_loop: has prompt and prompt_file"),
        (
            "cli: {backend: clod}",
            "cli.backend: must be one of auto, claude, kiro, kiro-acp, gemini, codex, forge, amp, copilot, opencode, pi, roo, custom"
        ),
        ("cli: {backend: custom}", "cli: backend custom needs command"),
        ("cli: {prompt_mode: file}", "cli.prompt_mode: must be one of arg, stdin"),
        ("core: {guardrails: [1]}", "core.guardrails[0]: must be a text"),
        ("core: {guardrails: [\" \"]}", "core.guardrails[0]: must be a text"),
        ("core: {scratchpad: {place: a}}", "core.scratchpad: has none of the known forms"),
        ("memories: {inject: always}", "memories.inject: must be one of auto, manual, none"),
        ("hooks: {events: {pre.tea: []}}", "hooks.events.pre.tea: is not known"),
        (
            "hooks: {events: {pre.loop.start: [{name: a, command: [b]}]}}",
            "hooks.events.pre.loop.start[0]: lacks on_error"
        ),
        (
            "hooks: {events: {pre.loop.start: [{name: a, command: [b], on_error: stop}]}}",
            "hooks.events.pre.loop.start[0].on_error: must be one of warn, block, suspend"
        ),
        ("RObot: {enabled: true, mode: web}", "RObot: is enabled without timeout_seconds"),
        ("RObot: {enabled: true, timeout_seconds: 3}", "RObot: only mode web works without a token"),
        ("robot: {enabled: true}", "robot: is not known"),
        ("1: a", ": a key must be a text"),
    ])
    func `a broken configuration is refused with its place`(_ yaml: String, _ finding: String) throws {
        #expect(try findings(yaml) == [finding])
    }

    @Test(arguments: [
        (
            "{}",
            [
                "hats.a: lacks name", "hats.a: lacks description", "hats.a: lacks triggers",
                "hats.a: lacks publishes", "hats.a: lacks instructions",
            ]
        ),
        (
            "{name: A, description: d, triggers: [a.b], publishes: c.d, instructions: i}",
            ["hats.a.publishes: must be a list"]
        ),
        (
            "{name: A, description: d, triggers: [], publishes: [], instructions: i, color: red}",
            ["hats.a.color: is not known"]
        ),
        (
            "{name: A, description: d, triggers: [], publishes: [], instructions: i, backend: {args: [x]}}",
            ["hats.a.backend: has none of the known forms"]
        ),
        (
            "{name: A, description: d, triggers: [], publishes: [], instructions: i, aggregate: {}}",
            ["hats.a.aggregate: lacks mode"]
        ),
        (
            "{name: A, description: d, triggers: [], publishes: [], instructions: null}",
            ["hats.a.instructions: must be a text"]
        ),
    ])
    func `a broken hat is refused with its place`(_ hat: String, _ expected: [String]) throws {
        #expect(try findings("hats: {a: \(hat)}", .hats) == expected)
    }

    @Test(arguments: ["cli: {backend: claude}", "core: {}", "RObot: {}", "tasks: {enabled: true}"])
    func `a preset may not say what ralph refuses in a hats file`(_ more: String) throws {
        let yaml = "event_loop: {}\nhats: {}\n\(more)\n"

        #expect(try findings(yaml, .preset).count == 1)
    }

    @Test func `what the contract allows is allowed`() throws {
        let yaml = """
            event_loop: {prompt: Do it., max_cost_usd: 2.5, required_events: [a.b], cancellation_promise: c.d}
            cli: {backend: custom, command: agent, args: [-v], prompt_mode: stdin, default_mode: autonomous}
            core: {scratchpad: {enabled: true, path: notes.md}, specs_dir: specs/, guardrails: [Be kind.]}
            memories: {enabled: true, filter: {types: [fix], tags: [x], recent: 3}}
            skills: {dirs: [skills], overrides: {x: {auto_inject: true, backends: [codex]}}}
            hooks:
              enabled: true
              events: {pre.iteration.start: [{name: gate, command: [test], on_error: suspend, env: {A: b}}]}
            features: {loop_naming: {format: words, max_length: 20}, preflight: {skip: [git]}}
            RObot: {enabled: true, mode: web, timeout_seconds: 0}
            adapters: {claude: {timeout: 60}}
            hats:
              a:
                {name: A, description: d, triggers: ["a.*"], publishes: [b.c], instructions: i,
                scratchpad: a.md, backend: {type: kiro, agent: x}, concurrency: 2}
            """

        #expect(try findings(yaml) == [])
    }

    @Test(arguments: ["a: 1\na: 2\n", "a: [", "hats: {x: *nothing}"])
    func `what is no YAML is not read`(_ yaml: String) {
        #expect(throws: YamlError.self) { try Yams.compose(yaml: yaml) }
    }
}
