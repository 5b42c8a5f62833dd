import Testing

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1)))
struct ConfigCheckTests {
    @Test(arguments: [
        "a: 1\n", "{}\n", "---\na: 1\n", "\u{FEFF}a: 1\n", "a: 1\r\nb: 2\r\n", "unknown: {x: [1, 2]}",
        "base: &b {x: 1}\none: *b\ntwo: {<<: *b}\n", "text: |\n  **bold** and *it* R&D &amp; *b\n",
    ])
    func `a map is taken`(_ yaml: String) throws {
        try ConfigCheck.check(yaml)
    }

    @Test(arguments: [
        ("", "the document is empty"), ("# only this\n", "the document is empty"),
        ("null\n", "the document is empty"), ("- a\n- b\n", "line 1: the configuration must be a map"),
        ("just words\n", "line 1: the configuration must be a map"),
        ("a: 1\na: 2\n", "line 1: a is there twice"),
        ("project: {x: 1}\n", "the key 'project' is no longer taken by Ralph; use 'core'"),
    ])
    func `anything else is refused with its reason`(_ yaml: String, _ reason: String) {
        let error = #expect(throws: GeneratedConfigError.self) { try ConfigCheck.check(yaml) }
        #expect(error?.description == reason)
    }

    @Test(arguments: [
        "a: [", "a: 'x", "\t: 1", "a: 1\n---\nb: 2\n", "a: *nothing", "&a [*a]", "a: \u{0}", "a: \u{1}",
        "? {a: 1}\n: [", "%YAML 9.9\n---\na: 1", "{a: 1}}",
    ])
    func `what is no YAML is refused`(_ yaml: String) {
        #expect(throws: GeneratedConfigError.self) { try ConfigCheck.check(yaml) }
    }

    @Test func `aliases of aliases are refused at once`() {
        var bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1...9 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            bomb += "a\(level): &a\(level) [\(aliases)]\n"
        }
        for text in [bomb, bomb + "? [*a9]\n: 1\n"] {
            let error = #expect(throws: GeneratedConfigError.self) { try ConfigCheck.check(text) }
            #expect(error?.description == YAMLProblem.tooManyValues.text)
        }
    }

    @Test func `depth and size have limits`() {
        let deep = "a: " + String(repeating: "[", count: 100_000)
        let dashes = String(repeating: "- ", count: 100_000)
        let large = "a: " + String(repeating: "x", count: ConfigCheck.maximumBytes)
        let wide = (0..<60_000).map { "k\($0): 1\n" }.joined()
        for text in [deep, dashes, large, wide] {
            #expect(throws: GeneratedConfigError.self) { try ConfigCheck.check(text) }
        }
    }
}
