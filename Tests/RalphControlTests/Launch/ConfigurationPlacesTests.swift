import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// Out of which directories the configuration of a run is read.
@Suite(.timeLimit(.minutes(1))) struct ConfigurationPlacesTests {
    /// A workspace `base/w` whose root is declared, and `outside` beside it.
    private func generate(
        _ change: (TemporaryDirectory, inout LaunchPlan) throws -> Void
    ) async throws -> String {
        try await withTemporaryDirectory { directory in
            try directory.write("base/w/x", "")
            try directory.write("base/shared.yml", "name: shared\n")
            try directory.write("outside/secret.yml", "name: secret\n")
            var plan = LaunchPlan(workspace: directory.path + "/base/w")
            try change(directory, &plan)
            var settings = ControlSettings(ralph: nil, runs: directory.path + "/runs", environment: [:])
            settings.places = [directory.path + "/base"]
            return try RunConfiguration(plan, settings).generate()
        }
    }

    private func link(_ directory: TemporaryDirectory, _ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: directory.path + "/" + name, withDestinationPath: directory.path + "/" + target)
    }

    @Test func `a link to another file of the root is followed`() async throws {
        let text = try await generate { directory, _ in
            try link(directory, "base/w/ralph.yml", to: "base/shared.yml")
        }
        #expect(text.contains("shared"))
    }

    @Test(arguments: ["ralph.yml", "other.yml", "hat"])
    func `a link out of the root is not`(_ name: String) async throws {
        await #expect(throws: ControlError.self) {
            try await generate { directory, plan in
                if name == "hat" {
                    try link(directory, "base/w/hat.yml", to: "outside/secret.yml")
                    try directory.write("base/w/ralph.yml", "hats: {a: {import: hat.yml}}\n")
                } else {
                    try link(directory, "base/w/" + name, to: "outside/secret.yml")
                    if name != "ralph.yml" { plan.config = directory.path + "/base/w/" + name }
                }
            }
        }
    }

    @Test func `the user's own hooks are kept and stay off, also behind a link`() async throws {
        try await withTemporaryDirectory { directory in
            let hooks =
                "hooks: {enabled: false, events: {post.loop.complete: [{name: own, command: [\"true\"], on_error: warn}]}}"
            try directory.write("dotfiles/config.yml", hooks + "\n")
            try directory.write("home/.ralph/x", "")
            try directory.write("w/x", "")
            try link(directory, "home/.ralph/config.yml", to: "dotfiles/config.yml")
            let linked = try generate(in: directory)
            try directory.remove("home/.ralph/config.yml")
            try directory.write("home/.ralph/config.yml", hooks + "\n")

            #expect(linked == (try generate(in: directory)))
            try directory.remove("home/.ralph/config.yml")
            #expect(linked != (try generate(in: directory)))
        }
    }

    private func generate(in directory: TemporaryDirectory) throws -> String {
        let settings = ControlSettings(
            ralph: nil, runs: directory.path + "/runs", environment: ["HOME": directory.path + "/home"])
        return try RunConfiguration(LaunchPlan(workspace: directory.path + "/w"), settings).generate()
    }

    @Test func `what a run elsewhere was started with is read wherever it lies`() async throws {
        let text = try await generate { directory, plan in
            let line = ["ralph", "run", "-c", directory.path + "/outside/secret.yml"]
            plan = LaunchPlan(commandLine: line, workspace: plan.workspace)
        }
        #expect(text.contains("secret"))
    }
}
