import RalphTestSupport
import Testing

/// The shipped files under ralph itself: the stand-in, or the real one that `RALPH_BIN` names.
@Suite(.timeLimit(.minutes(1))) struct ShippedRunTests {
    /// Runs `body` where the user's own configuration names the scripted agent, which shipped files leave
    /// open.
    private func withAgent(_ script: String, _ body: (StandInWorkspace) async throws -> Void) async throws {
        try await withStandInWorkspace(StandInSetup(steps: script)) { workspace in
            let arguments = "[agent, --steps, \(workspace.outside.path)/steps.txt]"
            try workspace.outside.write(
                ".ralph/config.yml",
                "cli: {backend: custom, command: \(StandIn.path), args: \(arguments)}\n")
            try workspace.directory.remove("ralph.yml")
            try await body(workspace)
        }
    }

    /// The hats in the separators between iterations (contract 2.6).
    private func hats(in output: String) -> [String] {
        output.split(separator: "\n").filter { $0.hasPrefix(" ITERATION ") }.compactMap { line in
            line.split(separator: "|").dropFirst().first?.split(separator: " ").last.map(String.init)
        }
    }

    @Test(arguments: ShippedFile.all(.presets))
    func `a preset runs through every hand-over, the refused ones too, to its completion`(
        _ preset: ShippedFile
    )
        async throws
    {
        let graph = PresetGraph(try preset.tree())
        let walk = try #require(PresetWalk(covering: graph, to: graph.completion))
        try await withAgent(walk.script) { workspace in
            let run = try workspace.run(["-c", preset.path, "--no-tui", "--max-iterations", "300"])

            #expect(try await run.waitForExit(within: .seconds(50)) == .code(0), "\(run.errors)")
            #expect(workspace.endReason == "completed")
            #expect(hats(in: run.output) == walk.steps.map(\.hat))
            #expect(
                workspace.plainTopics == graph.entries + walk.steps.map(\.topic) + ["loop.terminate"])
        }
    }

    @Test(arguments: ShippedFile.all(.presets))
    func `a preset runs over a config, with its own hats, start and completion`(_ preset: ShippedFile)
        async throws
    {
        let graph = PresetGraph(try preset.tree())
        let walk = try #require(PresetWalk(through: graph, to: graph.completion))
        let config = ShippedFile(shelf: .configs, name: "configs/solo.yml")
        try await withAgent(walk.script) { workspace in
            let run = try workspace.run(["-c", config.path, "-H", preset.path, "--no-tui"])

            #expect(try await run.waitForExit() == .code(0), "\(run.errors)")
            #expect(hats(in: run.output) == walk.steps.map(\.hat))
            #expect(run.output.contains("/30"), "the limit of the config")
        }
    }

    @Test(arguments: ShippedFile.all(.presets))
    func `completion without what a preset requires is refused`(_ preset: ShippedFile) async throws {
        let graph = PresetGraph(try preset.tree())
        guard !graph.required.isEmpty else { return }
        try await withAgent("emit \(graph.completion) done already") { workspace in
            let run = try workspace.run(["-c", preset.path, "--no-tui", "--max-iterations", "1"])

            #expect(try await run.waitForExit() == .code(2), "\(run.errors)")
            #expect(workspace.endReason == "max_iterations")
        }
    }

    @Test(arguments: ShippedFile.all(.presets))
    func `a preset that can be given up ends as cancelled`(_ preset: ShippedFile) async throws {
        let graph = PresetGraph(try preset.tree())
        guard let end = graph.cancellation else { return }
        let walk = try #require(PresetWalk(through: graph, to: end))
        try await withAgent(walk.script) { workspace in
            let run = try workspace.run(["-c", preset.path, "--no-tui"])

            #expect(try await run.waitForExit() == .code(0), "\(run.errors)")
            #expect(workspace.endReason == "cancelled")
        }
    }

    @Test(arguments: ShippedFile.all(.configs))
    func `a config runs a prompt to its end`(_ config: ShippedFile) async throws {
        try await withAgent("complete") { workspace in
            let run = try workspace.run(["-c", config.path, "--no-tui"])

            #expect(try await run.waitForExit() == .code(0), "\(run.errors)")
            #expect(workspace.endReason == "completed")
        }
    }

    @Test(arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets) + ShippedFile.all(.hats))
    func `ralph validates a file and would run it`(_ file: ShippedFile) async throws {
        let sources = file.shelf == .hats ? ["-H", file.path] : ["-c", file.path]
        try await withAgent("complete") { workspace in
            if file.shelf != .hats {
                let check = try await workspace.ralph(sources + ["hats", "validate"])
                #expect(check.exit == .code(0), "\(check.output)")
            }
            let run = try await workspace.ralph(sources + ["run", "--dry-run", "--skip-preflight"])
            #expect(run.exit == .code(0), "\(run.output)")
        }
    }

    @Test(
        .enabled(if: StandIn.isReal, "RALPH_BIN names no Ralph"),
        arguments: ShippedFile.all(.configs) + ShippedFile.all(.presets))
    func `the real ralph's own checks before a run pass`(_ file: ShippedFile) async throws {
        try await withAgent("complete") { workspace in
            for check in ["config", "hooks", "backend"] {
                let done = try await workspace.ralph(["-c", file.path, "preflight", "--check", check])
                #expect(done.exit == .code(0), "\(done.output)")
            }
        }
    }
}
