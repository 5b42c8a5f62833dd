/// Configurations as people write them, and as nobody should.
enum ConfigSamples {
    static let valid: [String] = [
        // The pause recording's, by what its events and hook runs show.
        """
        cli: {backend: custom, command: python3, args: [agent.py, --quick]}
        event_loop:
          max_iterations: 4
          prompt_file: PROMPT.md
        hooks:
          enabled: true
          events:
            pre.iteration.start:
              - name: gate
                command: ["sh", "-c", "! test -e hold"]
                on_error: suspend
        """,
        // Several hats, texts of many lines.
        """
        hats:
          planner:
            name: "📋 Planner"
            triggers: [task.start, "review.*"]
            publishes: ["plan.ready"]
            instructions: |
              # Plan

                indented: yes
              - "quoted"   \\

              last
          builder:
            name: Builder
            triggers:
            - plan.ready
            instructions: |-
              no line end
            extra_instructions:
              - >
                folded
                text

                with a break
              - |+
                kept ends


        events: {plan.ready: {description: 'it''s ready'}}
        """,
        // Anchors; Ralph does not merge `<<`.
        """
        base: &base {timeout: 30, tags: &t [a, b]}
        other: *base
        tags: *t
        hats: {a: {<<: *base, name: A}}
        """,
        // Words that readers differ in.
        """
        words: [yes, no, on, off, y, n, ~, null, "null", "yes", 'no', 0x1F, 0o17, 017, 1_000, 1e3, .inf, .nan]
        times: {a: 12:30:45, b: 2026-06-22, c: 2026-06-22T21:33:08Z}
        empty: ""
        signs: ["- x", ": y", "# z", "a: b", "@at", "`tick`", "%p", "!bang", "&amp", "*star", "|", ">", "{", "]"]
        spaces: ["  both  ", "tab\\t", "line\\nbreak", "\\u0007", "\\x00", "\\U0001F600", "äöü", "\\u2028", "\\uFEFF"]
        """,
        // Version 1, and keys that nobody knows.
        """
        agent: claude
        agent_priority: [claude, gemini]
        prompt_file: ../PROMPT.md
        max_iterations: 12
        max_cost: 1.50
        verbose: yes
        future: {nested: [{deep: [[1, [2]], {}]}, []]}
        1: one
        true: x
        "quoted key": y
        ? [complex, key]
        : z
        """,
        "RObot: {enabled: true, mode: web, timeout_seconds: 0}\nskills: {dirs: [./skills, ../shared]}\n",
        "core:\r\n  scratchpad: notes.md\r\n  guardrails:\r\n    - \"one\"\r\n    - two words\r\n",
        "long: " + String(repeating: "word ", count: 400) + "end\nquoted: \""
            + String(repeating: "word  ", count: 400) + "\"\n",
        "tagged: [!!str 12, !!str true, ! no, !!int \"3\"]\n",
        "%YAML 1.2\n---\na: b\n...\n",
        "\u{FEFF}a: b\n",
        "plain: several words\n  over two lines\nnext: 'single\n\n  quoted'\n",
        "a: |2\n    two more\n  text\nb: |\n\n  begins empty\nc: \"  lead\\n  trail  \\n\"\n",
    ]

    /// The text and the line that is named.
    static let broken: [(String, Int?)] = [
        ("a: [1, 2", 2), ("a: b: c\n", 1), ("a: b\n\tc: d\n", 2), ("- a\n- b\n", 1), ("text\n", 1),
        ("7\n", 1),
        ("a: 1\nb: 2\na: 3\n", 1), ("a: *nobody\n", 1), ("a: 1\n---\nb: 2\n", 2), ("hooks: 5\n", 1),
        ("x: 1\nhooks:\n  events: [1]\n", 3), ("hooks:\n  enabled: perhaps\n", 2),
        ("hooks:\n  enabled: \"true\"\n", 2), ("a: \u{1}\n", nil),
        ("hooks:\n  enabled: true\n  events:\n    pre.iteration.start: {name: x}\n", 4),
    ]
}
