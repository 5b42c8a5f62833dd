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
}
