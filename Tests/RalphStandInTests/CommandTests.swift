import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CommandTests {
    private let waiting = "iteration 1:\ntouch started\nwait-for go\ncomplete"

    @Test func `the version is that of the real program`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let (_, output) = try await workspace.ralph(["--version"])
            #expect(output == "ralph 2.10.1\n")
        }
    }

    @Test(arguments: [
        ["run", "--no-such-flag"], ["run", "-p"], ["run", "--rpc", "--no-tui"],
        ["run", "-p", "a", "-P", "b"],
        ["nonsense"], ["emit"], ["loops", "resume"],
    ])
    func `a wrong command line ends with status 2`(arguments: [String]) async throws {
        try await withStandInWorkspace(StandInSetup(steps: "")) { workspace in
            let (exit, _) = try await workspace.ralph(arguments)
            #expect(exit == .code(2))
        }
    }

    @Test func `a run needs a prompt`() async throws {
        var setup = StandInSetup(steps: fourTurns)
        setup.prompt = nil
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await expectExit(.code(1), of: run)
            #expect(run.errors.contains("PROMPT.md"))
            #expect(!workspace.exists(".ralph/loop.lock"))

            try await expectExit(.code(0), of: try workspace.run(["-p", "inline", "--no-tui"]))
            #expect(workspace.rows.first?["payload"] as? String == "inline")
        }
    }

    @Test func `a backend that is missing ends the run without a last row`() async throws {
        var setup = StandInSetup(steps: fourTurns)
        setup.sections = "cli: {backend: custom, command: no-such-agent}"
        try await withStandInWorkspace(setup) { workspace in
            let text = try #require(workspace.text("ralph.yml"))
            try workspace.directory.write(
                "ralph.yml", text.replacing("command: \(StandIn.path)", with: "command: no-such-agent"))

            try await expectExit(.code(1), of: try workspace.run())

            #expect(workspace.endReason == nil)
        }
    }

    @Test func `emit finds the workspace and its file by itself`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: fourTurns)) { workspace in
            try await workspace.run().waitForExit()
            try workspace.directory.write("deep/er/file", "")

            let emit = try workspace.launch(
                StandIn.ralph, ["emit", "a.b", #"{"b":1,"a":[true,null]}"#, "--json", "--ts", "now"])
            try await expectExit(.code(0), of: emit)

            #expect(workspace.lines.last == #"{"payload":{"a":[true,null],"b":1},"topic":"a.b","ts":"now"}"#)
        }
    }

    @Test func `an emit that meets an urgent steer shows it, removes it and writes nothing`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: fourTurns)) { workspace in
            try await workspace.run().waitForExit()
            let before = workspace.lines
            try workspace.put("urgent-steer.json", #"{"messages":["stop that","use tabs"],"created_at":"t"}"#)

            let (exit, output) = try await workspace.ralph(["emit", "a.b"])

            #expect(exit == .code(1))
            #expect(output.contains("1. stop that\n2. use tabs"))
            #expect(workspace.lines == before)
            #expect(!workspace.exists(".ralph/urgent-steer.json"))
            try workspace.put("urgent-steer.json", "not json")
            #expect(try await workspace.ralph(["emit", "a.b"]).exit == .code(1))
            #expect(workspace.exists(".ralph/urgent-steer.json"))
        }
    }

    @Test func `loops stop asks the primary to stop`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: waiting)) { workspace in
            #expect(try await workspace.ralph(["loops", "stop"]).exit == .code(1))
            let run = try workspace.run()
            try await workspace.waitForFile("started")
            #expect(try await workspace.ralph(["loops", "list"]).output.contains("(primary)  running"))

            #expect(try await workspace.ralph(["loops", "stop"]).exit == .code(0))

            try workspace.directory.write("go", "")
            try await expectExit(.code(1), of: run)
            #expect(workspace.endReason == "stopped")
        }
    }

    @Test func `with --exclusive a second run waits its turn`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: waiting)) { workspace in
            let first = try workspace.run()
            try await workspace.waitForFile("started")
            let second = try workspace.run(["--exclusive", "--no-tui"])
            try await eventually(within: .seconds(10), "waiting for the lock") {
                second.waitsForLock
            }
            #expect(second.isRunning)

            try workspace.directory.write("go", "")

            try await expectExit(.code(0), of: first)
            try await expectExit(.code(0), of: second)
        }
    }

    @Test func `outside of git a second run is refused`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: waiting)) { workspace in
            _ = try workspace.run()
            try await workspace.waitForFile("started")

            let second = try workspace.run()

            try await expectExit(.code(1), of: second)
            #expect(second.errors.contains("git"))
        }
    }
}
