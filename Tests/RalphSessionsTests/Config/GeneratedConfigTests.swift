import Foundation
import RalphTestSupport
import Testing
import Yams

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct GeneratedConfigTests {
    /// Where the tests' configurations pretend to lie.
    private static let nowhere = "/nowhere"

    private func generate(_ yaml: String?, user: String? = nil) throws -> Node {
        let text = try GeneratedConfig.make(yaml: yaml, directory: Self.nowhere, user: user)
        return try #require(try Yams.compose(yaml: text))
    }

    private func phases(_ root: Node) -> [String: [String]] {
        var phases: [String: [String]] = [:]
        for (key, value) in root["hooks"]?["events"]?.mapping ?? [:] {
            phases[key.string ?? "?"] = value.sequence?.map { $0["name"]?.string ?? "?" }
        }
        return phases
    }

    private func withoutHooks(_ root: Node?) -> [Node: Node] {
        Dictionary(uniqueKeysWithValues: (root?.mapping ?? [:]).map { ($0.key, $0.value) })
            .filter { $0.key.string != "hooks" }
    }

    @Test(arguments: ConfigSamples.valid)
    func `everything but the hooks stays what it was`(yaml: String) throws {
        let generated = try generate(yaml)

        #expect(withoutHooks(generated) == withoutHooks(try Yams.compose(yaml: yaml)))
        #expect(phases(generated)["pre.iteration.start"]?.first == "pause-gate")
        #expect(generated["hooks"]?["enabled"]?.bool == true)
    }

    @Test(arguments: [
        ("a: yes", "a: yes\n"), ("a: \"yes\"", "a: \"yes\"\n"), ("a: 1e3", "a: 1e3\n"),
        ("a: 007", "a: 007\n"),
        ("a: !!str 12", "a: \"12\"\n"), ("a:", "a: null\n"), ("a: {b: }", "a:\n  b: null\n"),
        ("a: ~", "a: ~\n"),
        ("a: 1_000", "a: 1_000\n"), ("a: 0o17", "a: 0o17\n"), ("a: 2026-01-01", "a: 2026-01-01\n"),
        ("a: 'it''s'", "a: 'it''s'\n"), ("\"on\": off", "\"on\": off\n"), ("a: !!int \"3\"", "a: 3\n"),
        ("a: ! no", "a: \"no\"\n"), ("1: 2", "1: 2\n"),
    ])
    func `a scalar keeps its text and its quotes`(yaml: String, line: String) throws {
        let text = try GeneratedConfig.make(yaml: yaml, directory: Self.nowhere)

        #expect(text.hasPrefix(line))
    }

    @Test(arguments: [
        nil, "", "# nothing\n", "---\n", "null\n", "hooks:\n", "hooks: {}\n", "hooks: {events: }\n",
    ])
    func `without anything to keep there is the gate alone`(yaml: String?) throws {
        let generated = try generate(yaml)

        #expect(withoutHooks(generated).isEmpty)
        #expect(phases(generated) == ["pre.iteration.start": ["pause-gate"]])
    }

    @Test func `the gate is the hook that suspends`() throws {
        let hook = try generate(nil)["hooks"]?["events"]?["pre.iteration.start"]?[0]

        let words = hook?["command"]?.array().compactMap(\.string) ?? []
        #expect(words.first?.hasSuffix("/test") == true)
        #expect(words.dropFirst() == ["!", "-e", ".ralph/pause-requested"])
        #expect(hook?["on_error"]?.string == "suspend")
        #expect(hook?["suspend_mode"]?.string == "wait_for_resume")
        #expect(hook?["timeout_seconds"]?.int == 30)
    }

    @Test(arguments: [
        ("true", ["pre.iteration.start": ["pause-gate", "mine"], "post.loop.error": ["tell"]]),
        ("false", ["pre.iteration.start": ["pause-gate"]]), ("", ["pre.iteration.start": ["pause-gate"]]),
    ])
    func `hooks that are off stay off`(enabled: String, expected: [String: [String]]) throws {
        let generated = try generate(
            """
            hooks:
              enabled: \(enabled)
              defaults: {timeout_seconds: 5}
              events:
                pre.iteration.start: [{name: mine, command: [x], on_error: warn}, {name: pause-gate}]
                post.loop.error: [{name: tell, command: [y], on_error: warn}]
            """)

        #expect(phases(generated) == expected)
        #expect(generated["hooks"]?["defaults"]?["timeout_seconds"]?.int == 5)
    }

    @Test(arguments: [
        (nil, "true", ["pre.iteration.start": ["pause-gate", "user"]]),
        ("hooks: {enabled: false}", "true", ["pre.iteration.start": ["pause-gate"], "pre.loop.start": []]),
        (nil, "false", ["pre.iteration.start": ["pause-gate"], "pre.loop.start": []]),
        (
            "hooks: {events: {pre.iteration.start: [{name: mine}]}}", "true",
            ["pre.iteration.start": ["pause-gate", "mine"]]
        ),
    ])
    func `hooks of the user's own file do what they did`(
        yaml: String?, enabled: String, expected: [String: [String]]
    ) throws {
        let user = """
            hooks:
              enabled: \(enabled)
              events:
                pre.iteration.start: [{name: user, command: [x], on_error: warn}]
                pre.loop.start: [{name: begin, command: [y], on_error: warn}]
            """

        #expect(phases(try generate(yaml, user: user)) == expected)
    }

    @Test func `a broken file of the user's changes nothing`() throws {
        #expect(phases(try generate(nil, user: "a: [")) == ["pre.iteration.start": ["pause-gate"]])
    }

    @Test(arguments: ConfigSamples.broken)
    func `what Ralph could not read is refused with its line`(yaml: String, line: Int?) {
        let error = #expect(throws: GeneratedConfigError.self) {
            try GeneratedConfig.make(yaml: yaml, directory: Self.nowhere)
        }

        #expect(error?.line == line)
    }

    @Test func `aliases of aliases do not fill the memory`() {
        var yaml = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            yaml += "a\(level): &a\(level) [\(aliases)]\n"
        }

        #expect(throws: GeneratedConfigError.self) {
            try GeneratedConfig.make(yaml: yaml, directory: Self.nowhere)
        }
    }

    @Test(arguments: ["[", "{a: ", "- ", "? "])
    func `deep nesting ends in an error`(opening: String) {
        #expect(throws: GeneratedConfigError.self) {
            try GeneratedConfig.make(
                yaml: String(repeating: opening, count: 100_000), directory: Self.nowhere)
        }
    }
}
