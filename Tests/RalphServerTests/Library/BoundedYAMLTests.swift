import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

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
