import Testing
import Yams

/// The rules for events, with presets that break one each.
@Suite struct PresetGraphTests {
    /// A preset that keeps every rule: a.start, a, b.go, b, then either back or to the end.
    private static let good = """
        event_loop: {starting_event: a.start, required_events: [b.go]}
        events: {b.go: {description: Go.}}
        hats:
          a:
            {name: A, description: d, triggers: [a.start, a.again], publishes: [b.go], instructions: Say `b.go`.}
          b:
            name: B
            description: d
            triggers: [b.go]
            publishes: [a.again, LOOP_COMPLETE]
            instructions: Say `a.again` or `LOOP_COMPLETE`.
        """

    private func findings(_ yaml: String) throws -> [String] {
        PresetGraph(try #require(try Yams.compose(yaml: yaml))).check()
    }

    @Test func `a preset that keeps the rules is accepted`() throws {
        let root = try #require(try Yams.compose(yaml: Self.good))

        #expect(ConfigShape.preset.check(root, at: "") == [])
        #expect(PresetGraph(root).check() == [])
    }

    @Test(arguments: [
        (
            "starting_event: a.start, ", "",
            [
                "a: nobody publishes a.start", "a: is never reached", "b: is never reached",
                "event_loop: lacks starting_event",
            ]
        ),
        (
            "starting_event: a.start", "starting_event: c.start",
            [
                "a: nobody publishes a.start", "a: is never reached", "b: is never reached",
                "event_loop: nobody takes c.start",
            ]
        ),
        ("triggers: [a.start, a.again]", "triggers: [a.start, a.again, c.go]", ["a: nobody publishes c.go"]),
        (
            "triggers: [a.start, a.again]", "triggers: [a.start, a.again, task.start]",
            ["a: cannot be triggered by task.start"]
        ),
        (
            "triggers: [a.start, a.again]", "triggers: [a.start, a.again, human.response]",
            ["a: cannot be triggered by human.response"]
        ),
        ("triggers: [a.start, a.again]", "triggers: [a.start]", ["b: nobody takes a.again"]),
        ("triggers: [b.go]", "triggers: [b.go, a.again]", ["a.again: is claimed by a and b"]),
        ("triggers: [b.go]", "triggers: [\"b.*\"]", []),
        (
            "triggers: [b.go]", "triggers: [\"*.go\", \"a.*\"]",
            ["a.again: is claimed by a and b", "a.start: is claimed by a and b"]
        ),
        (
            "LOOP_COMPLETE]", "loop.terminate]",
            [
                "b: must not publish loop.terminate", "a: no way leads to an end",
                "b: no way leads to an end", "event_loop: nobody publishes LOOP_COMPLETE",
                "b: its instructions do not name loop.terminate",
            ]
        ),
        (
            "publishes: [b.go]", "publishes: [b.go, b.*]",
            ["a: publishes a pattern, b.*", "a: its instructions do not name b.*"]
        ),
        (
            "required_events: [b.go]", "required_events: [c.go]",
            ["event_loop: required c.go is never published"]
        ),
        (
            "required_events: [b.go]", "required_events: [LOOP_COMPLETE]",
            ["event_loop: required LOOP_COMPLETE is never published"]
        ),
        (
            "required_events: [b.go]", "cancellation_promise: stop.now",
            ["event_loop: nobody publishes stop.now"]
        ),
        ("events: {b.go:", "events: {c.go:", ["events: c.go does not occur"]),
        ("name: B\n", "name: A\n", ["hats: two are called A"]),
        ("Say `b.go`.", "Say something.", ["a: its instructions do not name b.go"]),
        ("Say `b.go`.", "Say `b.go` or `b.gone`.", ["a: speaks of b.gone, which does not occur"]),
        ("Say `b.go`.", "Say `b.go`, see `file.md`.", []),
        (
            "  b:\n", "  b:\n    default_publishes: c.go\n",
            ["b: default_publishes c.go is not among what it publishes"]
        ),
    ])
    func `a preset that breaks a rule is refused with its place`(
        _ part: String, _ replacement: String, _ expected: [String]
    ) throws {
        let yaml = Self.good.replacing(part, with: replacement)
        try #require(yaml != Self.good)

        #expect(try findings(yaml) == expected)
    }

    @Test func `a hat that leads only to itself is a dead end`() throws {
        let more =
            "\n  c: {name: C, description: d, triggers: [c.go], publishes: [c.go], instructions: "
            + "Say `c.go`.}\n"
        let yaml = Self.good.replacing(
            "publishes: [b.go], instructions: Say `b.go`.",
            with: "publishes: [b.go, c.go], instructions: Say `b.go` or `c.go`.")

        #expect(try findings(yaml + more) == ["c: no way leads to an end"])
        #expect(try findings(Self.good + more) == ["c: is never reached"])
    }

    @Test func `a topic that ralph judges needs its example, and its refusal a hat`() throws {
        let asks = Self.good.replacing("b.go", with: "review.done")

        #expect(
            try findings(asks) == ["a: nobody takes review.blocked", "a: shows no evidence for review.done"])
        let answers = asks.replacing(
            "Say `review.done`.", with: "\"`review.done` with `tests: pass, build: pass`\""
        )
        .replacing("triggers: [review.done]", with: "triggers: [review.done, review.blocked]")
        #expect(try findings(answers) == [])
    }

    @Test func `a hat may wait for another's exhaustion only if that can happen`() throws {
        let waits = Self.good.replacing("triggers: [a.start,", with: "triggers: [b.exhausted, a.start,")

        #expect(try findings(waits) == ["a: nobody publishes b.exhausted"])
        #expect(try findings(waits.replacing("  b:\n", with: "  b:\n    max_activations: 3\n")) == [])
    }

    @Test func `no hats at all are no preset`() throws {
        #expect(try findings("event_loop: {}") == ["hats: there is none"])
    }
}
