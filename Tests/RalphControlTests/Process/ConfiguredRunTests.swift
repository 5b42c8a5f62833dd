import Foundation
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphControl

/// What the process tells that works in a session.
@Suite(.timeLimit(.minutes(2))) struct ConfiguredRunTests {
    /// Starts a ralph in `w`, whose session is that of `w` or of its worktree `x`.
    private func withRun(
        _ flags: String, isWorktree: Bool = false, environment: [String: String] = [:],
        _ body: (TemporaryDirectory, DiscoveredSession) throws -> Void
    ) async throws {
        try await withChildren { directory, start in
            let main = directory.path + "/w"
            let path = isWorktree ? main + "/.worktrees/x" : main
            try directory.write("w/.ralph/current-loop-id", "y\n")
            try directory.write("w/.worktrees/x/.ralph/current-loop-id", "x\n")
            try directory.write("w/hats.yml", "hats: {}\n")
            chmod(try directory.write("ralph", "#!/bin/sh\nsleep 60 & wait\n"), 0o755)
            let child = try start("cd w; exec ../ralph run " + flags, environment)
            try await eventually(within: .seconds(10), "a ralph") {
                child.identity.commandLine?.contains("run") == true
            }
            let record =
                #"{"id":"x","pid":\#(child.pid),"started":"2099-01-01T00:00:00Z","prompt":"","#
                + #""worktree_path":"\#(path)","workspace":"\#(path)"}"#
            try directory.write("w/.ralph/loops.json", #"{"loops":[\#(isWorktree ? record : "")]}"#)
            if !isWorktree { try directory.write("w/.ralph/loop.lock", record) }
            try body(
                directory,
                DiscoveredSession(
                    directory: SessionDirectory(workspace: path), loopID: isWorktree ? "x" : nil,
                    worktreeOf: isWorktree ? main : nil))
        }
    }

    @Test(
        arguments: [
            ("--rpc", "ralph.yml"), ("-c presets/tdd.yml", "presets/tdd.yml"),
            ("-c core.specs_dir=x --config=a.yml -c b.yml", "a.yml"),
        ], [false, true])
    func `paths of a command line are looked for where its process works`(
        _ run: (String, String), _ isWorktree: Bool
    ) async throws {
        let (flags, file) = run
        try await withRun(flags, isWorktree: isWorktree) { directory, session in
            let run = try #require(ConfiguredRun(of: session, program: nil))
            #expect(run.configuration == ConfigurationLayers(files: [directory.path + "/w/" + file]))
            #expect(ConfiguredRun(of: session, program: nil) == run)
        }
    }

    @Test func `what the environment names counts where no file is`() async throws {
        for (flags, file) in [("-c core.scratchpad=x.md", "env.yml"), ("-c a.yml", "a.yml")] {
            try await withRun(flags, environment: ["RALPH_CONFIG": "env.yml"]) { directory, session in
                let layers = try #require(ConfiguredRun(of: session, program: nil)?.configuration)
                #expect(layers.files == [directory.path + "/w/" + file])
                #expect(layers.scratchpad == (file == "env.yml" ? "x.md" : nil))
            }
        }
    }

    @Test func `hats and a promise of the command line lie over its configuration`() async throws {
        try await withRun("-H hats.yml --completion-promise DONE") { directory, session in
            let place = directory.path + "/w/"
            #expect(
                ConfiguredRun(of: session, program: nil)?.configuration
                    == ConfigurationLayers(
                        files: [place + "ralph.yml"], hats: place + "hats.yml", completionPromise: "DONE"))
        }
        try await withRun("-H builtin:debug") { _, session in
            #expect(ConfiguredRun(of: session, program: nil)?.configuration.hats == "builtin:debug")
        }
    }

    @Test(arguments: [0, 1, 2_147_483_647])
    func `a lock file that names no ralph of the session tells of no run`(_ pid: Int) async throws {
        try await withRun("-c other.yml") { directory, session in
            let number = pid == 0 ? Int(getpid()) : pid
            try directory.write(
                "w/.ralph/loop.lock",
                #"{"pid":\#(number),"started":"2099-01-01T00:00:00Z","prompt":""}"#)
            #expect(ConfiguredRun(of: session, program: nil) == nil)
        }
    }
}
