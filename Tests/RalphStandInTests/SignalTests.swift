import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    private let long = "iteration 1:\ntouch started\nwait-for go\nemit slice.planned late"

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal makes ralph kill itself without a word and orphans its headless agent`(
        number: Int32
    ) async throws {
        try await withStandInWorkspace(StandInSetup(steps: long)) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("started")
            let agent = try #require(workspace.agents().first)
            #expect(agent.group == agent.pid)

            run.signal(number)

            try await expectExit(.signal(SIGKILL), of: run)
            #expect(workspace.endReason == nil)
            #expect(workspace.agents().map(\.pid) == [agent.pid])
            // The orphan goes on working, into the file of a dead run.
            try workspace.directory.write("go", "")
            try await workspace.waitForTopic("slice.planned")
        }
    }

    @Test func `an agent of a killed stream run dies of the hang-up of its terminal`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: long)) { workspace in
            let run = try workspace.run(["--rpc"])
            try await workspace.waitForFile("started")
            let agent = try #require(workspace.agents().first)
            #expect(agent.session == agent.pid)

            run.signal(SIGKILL)

            try await expectExit(.signal(SIGKILL), of: run)
            try await eventually(within: .seconds(10), "death of the agent") { workspace.agents().isEmpty }
        }
    }

    @Test func `abort on the stream is the same self-kill`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: long)) { workspace in
            let run = try workspace.run(["--rpc"], hasInput: true)
            try await workspace.waitForFile("started")

            run.send(#"{"type":"abort"}"#)

            try await expectExit(.signal(SIGKILL), of: run)
            #expect(workspace.endReason == nil)
        }
    }

    @Test func `ending only the agent fails the iteration, and the run goes on`() async throws {
        let steps = "iteration 1:\ntouch started\nwait-for go\niteration 2:\ncomplete"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("started")
            let agent = try #require(workspace.agents().first)

            kill(-agent.group, SIGTERM)

            try await expectExit(.code(0), of: run)
            #expect(workspace.endReason == "completed")
        }
    }

    @Test func `a stubborn agent lets SIGTERM pass`() async throws {
        var setup = StandInSetup(steps: long)
        setup.agentArguments = ["--ignore-term"]
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("started")
            let agent = try #require(workspace.agents().first)

            kill(agent.pid, SIGTERM)
            try workspace.put("stop-requested")
            try workspace.directory.write("go", "")

            try await expectExit(.code(1), of: run)
            #expect(workspace.topics.contains("slice.planned"))
        }
    }

    @Test func `a finished stream run lives on until its standard input ends`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: "complete")) { workspace in
            let run = try workspace.run(["--rpc"], hasInput: true)
            try await eventually(within: .seconds(10), "loop_terminated") {
                run.output.contains(#""type":"loop_terminated""#)
            }
            #expect(run.isRunning)

            run.closeInput()

            try await expectExit(.code(0), of: run)
        }
    }
}
