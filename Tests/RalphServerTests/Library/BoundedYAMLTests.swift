import Foundation
import RalphTestSupport
import Testing

@testable import RalphServer
@testable import RalphSessions

/// Each of these must be answered in about a second, on a slow machine and unoptimised.
@Suite(.timeLimit(.minutes(1)))
struct BoundedYAMLTests {
    /// Nine levels of nine aliases each: 387 million values.
    private static let bomb =
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + zip("bcdefghi", "abcdefgh").map { name, inner in
            "\(name): &\(name) [" + Array(repeating: "*\(inner)", count: 9).joined(separator: ", ") + "]\n"
        }.joined()

    private func problem(_ text: String) -> String? {
        do throws(YAMLProblem) {
            _ = try BoundedYAML.compose(text, maximumBytes: LibraryLimits.yamlBytes)
            return nil
        } catch {
            return error.text
        }
    }

    @Test(arguments: [
        bomb, bomb + "hats: *i\n", bomb + "? *i\n: 1\n", bomb + "*i : 1\n", bomb + "{ *i: 1 }\n",
        bomb + "x: {? [*i] : 1}\n", bomb + "x: {[*i]: 1, [*h]: 2}\n", bomb + "x: {*i}\n",
        bomb + "x: {a: 1, [*i]}\n", bomb + "x: [*i:1]\n",
        bomb + "*i" + String(repeating: " ", count: 300) + ": 1\n",
        "a: &a [" + String(repeating: "x,", count: 100_000) + "x]\nz: {["
            + String(repeating: "*a,", count: 400) + "*a]}\n",
    ])
    func `aliases of aliases are refused before they are written out`(_ text: String) {
        let start = ContinuousClock.now
        #expect(problem(text)?.contains("aliases") == true)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// - Parameter blank: what stands before anchors and aliases.
    @Test(arguments: [" ", "\u{2028}", "\u{85}", "\u{2029}\u{FEFF}"])
    func `aliases hang nothing deeper than a stack is`(_ blank: String) {
        let (open, close) = (String(repeating: "[", count: 900), String(repeating: "]", count: 900))
        let chain = (1...140).map { number in
            "\(blank)&a\(number) \(open)\(number == 1 ? "x" : "\(blank)*a\(number - 1) ")\(close)"
        }
        #expect(problem("[" + chain.joined(separator: ",\n") + "]")?.contains("aliases") == true)
        #expect(problem("[" + chain[0] + "]") == nil)
    }

    @Test(arguments: [
        (0..<15).map { "d\($0): &d\($0) {a: 1, b: [x, {c: \"y\"}]}\nh\($0):\n  <<: *d\($0)\n" }.joined(),
        "base: &base {a: 1}\nhats:\n"
            + (0..<40).map { "  h\($0): &h\($0)\n    <<: *base\n    text: Say {x} and *mean* it.\n" }.joined(),
        "text: |\n"
            + String(repeating: "  char *buf = &p, *q = &buf; if (a ? b : c) { f(&i, *p); }\n", count: 20),
        "text: |\n" + String(repeating: "  {\"a\": [1, 2], \"b\": {\"c\": *word*}}\n", count: 300),
    ])
    func `code and words in a text are no keys of it`(_ text: String) {
        #expect(problem(text) == nil)
    }

    /// Eight bases that sixteen hats merge, each with 30 lines of instructions.
    private static let merges =
        (0..<8).map { "m\($0): &m\($0) {backend: claude, limit: 3}\n" }.joined() + "hats:\n"
        + (0..<16).map { hat in
            "  h\(hat):\n    <<: *m\(hat % 8)\n    instructions: |\n"
                + (0..<30).map { line in
                    let isTemplate = hat < 2 && line == 0
                    return
                        "      \(isTemplate ? "Begin with {{ name }}" : "Then: the next task, all of it").\n"
                }.joined()
        }.joined()

    /// Ten anchors that are named twice each, and a line of JSON in a text.
    private static let reply =
        (0..<10).map { "a\($0): &a\($0) {x: 1}\nb\($0): *a\($0)\nc\($0): *a\($0)\n" }.joined() + "text: |\n"
        + String(repeating: "  Say what was done, and why it was.\n", count: 600)
        + "  {\"ok\": true, \"why\": 'text'}\n"

    /// Two anchors, and a text of 2000 lines with colons.
    private static let points =
        "a: &a {x: 1}\nb: &b {x: 1}\nc: *a\nd: *b\ntext: |\n"
        + String(repeating: "  - Point: say it\n", count: 2000)

    @Test(arguments: [
        merges, reply, points,
        "a: &a {x: 1}\nb: *a\ntext: |\n"
            + String(repeating: "  Un caf\u{E9}? Oui: oui.\n", count: 3000),
        (0..<9).map { "a\($0): &a\($0) {x: 1}\nb\($0): *a\($0)\n" }.joined() + "text: |\n"
            + String(
                repeating: "  void f(int *p) { int q = *p, *r = &p; g(&q, *r); }\n  {*p} [&p] ? *p : &q\n",
                count: 300),
        (0..<400).map { "d\($0): &d\($0) {a: [1, 2], b: {c: x}}\nh\($0): {<<: *d\($0), why: {{ name }}}\n" }
            .joined(),
    ])
    func `aliases beside long texts are no bomb`(_ text: String) throws {
        #expect(problem(text) == nil)
        try ConfigCheck.check(text)
    }

    @Test func `what aliases stand for is counted exactly`() {
        // The map, three keys, the list and its alias, and one value more.
        let list = BoundedYAML.maximumValues / 2 - 4
        func text(_ extra: String) -> String {
            "a: &a [" + String(repeating: "x,", count: list) + "]\nb: *a\nc: \(extra)\n"
        }
        #expect(problem(text("[1]")) == nil)
        #expect(problem(text("[1, 2]")) == YAMLProblem.tooManyValues.text)
        #expect(problem("a: &a [x]\nb: *a\nc: [" + String(repeating: "x,", count: 60_000) + "]\n") != nil)
        #expect(problem("c: [" + String(repeating: "x,", count: 60_000) + "]\n") == nil)
    }

    @Test func `an alias stands for the last value of its name`() {
        let list = "[" + String(repeating: "x,", count: 100) + "]"
        let aliases = "[" + String(repeating: "*a,", count: 1000) + "]\n"
        #expect(problem("a: &a \(list)\nb: &a y\nc: \(aliases)") == nil)
        #expect(problem("a: &a y\nb: &a \(list)\nc: \(aliases)") == YAMLProblem.tooManyValues.text)
        // While a list is open, its name is still that of the one before.
        #expect(problem("- &a y\n- &a [\(list), \(aliases)]\n- [*a, *a]") == nil)
        #expect(problem("- &a \(list)\n- &a [y, \(aliases)]") == YAMLProblem.tooManyValues.text)
    }

    @Test func `a long text is written out as often as it is named`() {
        func text(_ aliases: Int) -> String {
            "- &a \(String(repeating: "x", count: 1 << 17))\n" + String(repeating: "- *a\n", count: aliases)
        }

        #expect(problem(text(127)) == nil)
        #expect(problem(text(128)) == YAMLProblem.tooMuchText.text)
    }

    @Test func `depth is counted exactly, and what is as deep as may be fits a stack`() {
        func list(_ levels: Int, _ inner: String) -> String {
            String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
        }
        func text(_ levels: Int) -> String {
            "- &a \(list(900, "x"))\n- &b \(list(900, "*a"))\n- &c \(list(900, "*b"))\n- &d \(list(900, "*c"))\n- "
                + list(levels, "*d") + "\n"
        }
        let levels = BoundedYAML.maximumDepth - 3600 - 1
        #expect(problem(text(levels + 1)) == YAMLProblem.tooManyValues.text)
        #expect(problem(text(levels)) == nil)
    }

    /// Keys that are there twice are put in order, which compares what lies deepest twice for each level.
    @Test(arguments: [10, 60, 900])
    func `keys in order cost no time that doubles with each level`(_ levels: Int) {
        let (open, close) = (String(repeating: "[", count: levels), String(repeating: "]", count: levels))
        let keys = ["x", "x", "{}", "{}"].map { "? \(open)\($0)\(close)\n: 1\n" }
        let start = ContinuousClock.now
        #expect(problem(keys.joined()) != nil)
        #expect(problem(keys[0] + keys[2]) == nil)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// A scalar costs what it is long, wherever an alias makes it a key.
    @Test func `long texts that aliases make keys are refused`() {
        let text = "a: &a \"" + String(repeating: "\u{E9}", count: 80_000) + "\"\nb:\n"
        func keys(_ count: Int) -> String { (0..<count).map { "  ? [*a, \($0)]\n  : 1\n" }.joined() }
        let start = ContinuousClock.now
        #expect(problem(text + keys(90)) == YAMLProblem.tooManyValues.text)
        #expect(problem(text + keys(8)) == nil)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(arguments: [
        "a: &a [*a]\n", "a: *b\nb: &b 1\n", "&a *a", "a: &a\n  b: *a\n", "- &a [&b [*a]]\n",
    ])
    func `an anchor in itself is an alias of nothing`(_ text: String) {
        #expect(problem(text) != nil)
    }

    @Test(arguments: [
        String(repeating: "[", count: 200_000), String(repeating: "{a: ", count: 60_000),
        String(repeating: "- ", count: 120_000), String(repeating: "? ", count: 120_000),
        (0..<5000).map { String(repeating: " ", count: $0 % 40) + "a:\n" }.joined(),
        String(repeating: "[*a", count: 80_000),
        "z: " + String(repeating: "{", count: 900) + "[" + String(repeating: "x,", count: 100_000) + "x]"
            + String(repeating: "}", count: 900),
    ])
    func `depth ends in an answer`(_ text: String) {
        let start = ContinuousClock.now
        #expect(problem(text) != nil)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `a bomb is no configuration of a session either`() {
        #expect(WorkspaceConfig(yaml: Self.bomb + "? *i\n: 1\n") == nil)
        #expect(WorkspaceConfig(yaml: Self.bomb + "hats: *i\n") == nil)
        #expect(throws: GeneratedConfigError.self) {
            try GeneratedConfig.make(yaml: Self.bomb + "? *i\n: 1\n", directory: "/")
        }
    }

    @Test func `what is too long is not parsed`() {
        #expect(problem(String(repeating: "#", count: LibraryLimits.yamlBytes)) == nil)
        #expect(
            problem(String(repeating: "#", count: LibraryLimits.yamlBytes + 1))
                == YAMLProblem.longer(than: LibraryLimits.yamlBytes).text)
    }

    @Test(arguments: [
        "base: &base {a: 1}\nb: *base\nc: *base\n", "text: |\n  *one* and *two* and ? *three*\n  &x\n",
        "", "~", "# only words", "\r\na: 1\r\n", "{}", "a: 'it''s'",
    ])
    func `ordinary texts are read`(_ text: String) {
        #expect(problem(text) == nil)
    }

    @Test func `a bomb among the presets costs nobody anything`() async throws {
        try await withLibrary(
            {
                try $0.write("base/presets/bomb.yml", Self.bomb)
                try $0.write("base/presets/key.yml", Self.bomb + "? *i\n: 1\n")
                try $0.write("base/presets/deep.yml", String(repeating: "[", count: 200_000))
                try $0.write("base/ralph.yml", "skills: {dirs: [s]}\n")
                try $0.write("base/s/bomb.md", "---\n\(Self.bomb)---\nbody")
            },
            { server in
                let items = try await server.items("configs")
                let broken = items.filter { $0["error"] != nil }.compactMap { $0["name"] as? String }
                #expect(broken == ["bomb", "deep", "key"])
                #expect(try await server.items("hats").isEmpty)
                let skill = try await server.get("/api/skills/bomb").object()
                #expect(skill["error"] as? String == YAMLProblem.tooManyValues.text)
                let loaded = try await server.get("/api/skills/bomb/load").object()
                #expect(loaded["content"] as? String == "<bomb-skill>\nbody\n</bomb-skill>")
            })
    }
}
