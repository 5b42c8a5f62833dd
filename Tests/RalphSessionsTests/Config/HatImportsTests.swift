import RalphTestSupport
import Testing
import Yams

@testable import RalphSessions

@Suite(.timeLimit(.minutes(1))) struct HatImportsTests {
    @Test func `an imported hat is put in, and its own members win`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("hats/builder.yml", "name: Builder\ntriggers: [a, b]\nmax_activations: 3\n")
            let yaml = "hats:\n  b: {import: ./hats/builder.yml, triggers: [c]}\n  p: {name: Plain}\n"

            let text = try GeneratedConfig.make(yaml: yaml, directory: directory.path)

            let hats = try Yams.compose(yaml: text)?["hats"]
            #expect(hats?["b"] == ["name": "Builder", "triggers": ["c"], "max_activations": 3])
            #expect(hats?["p"] == ["name": "Plain"])
        }
    }

    @Test(arguments: [
        ("/etc/hat.yml", "must be below the configuration"),
        ("../hat.yml", "must be below the configuration"),
        ("missing.yml", "is no readable file"), ("list.yml", "the configuration must be a map"),
        ("chain.yml", "must not have import"), ("events.yml", "must not have events"),
        ("", "no readable file"),
    ])
    func `an import that Ralph would refuse is refused`(path: String, reason: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("list.yml", "[1]")
            try directory.write("chain.yml", "import: list.yml")
            try directory.write("events.yml", "events: {}")

            let error = #expect(throws: GeneratedConfigError.self) {
                try GeneratedConfig.make(
                    yaml: "a: 1\nhats:\n  b: {import: \"\(path)\"}\n", directory: directory.path)
            }

            #expect(error?.line == 3)
            #expect(error?.problem.contains(reason) == true)
        }
    }

    @Test(arguments: [
        ("a file of comments", "#" + String(repeating: "x", count: 1_000_000)),
        ("many values", (1...10_000).map { "k\($0): 1\n" }.joined()),
        (
            "aliases of a long text",
            "a: &a " + String(repeating: "x", count: 10_000) + "\n"
                + (1...100).map { "k\($0): *a\n" }.joined()
        ),
    ])
    func `hats that import one file many times are refused`(what: String, content: String) async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("hat.yml", content)
            let hats = (1...10_000).map { "  h\($0): {import: hat.yml}\n" }.joined()

            let error = #expect(throws: GeneratedConfigError.self, "\(what)") {
                try GeneratedConfig.make(yaml: "hats:\n" + hats, directory: directory.path)
            }

            #expect(error?.problem.contains("the imports have more than 4 MiB or 50000 values") == true)
        }
    }
}
