import Foundation
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PauseTests {
    /// A run that is suspended after its first iteration.
    private func suspended(_ body: (StandInWorkspace, StandInProcess) async throws -> Void) async throws {
        var setup = StandInSetup(
            steps: "log-prompt prompts\niteration 1:\ntouch .ralph/pause-requested\n"
                + "emit slice.planned s\niteration 2:\ncomplete")
        setup.hasGate = true
        try await withStandInWorkspace(setup) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile(".ralph/suspend-state.json")
            try await body(workspace, run)
        }
    }

    @Test func `a resumed run goes on with the hat whose turn it was`() async throws {
        try await suspended { workspace, run in
            #expect(run.isRunning)
            try workspace.directory.remove(".ralph/pause-requested")
            try workspace.put("resume-requested")

            try await expectExit(.code(0), of: run)
            #expect(!workspace.exists(".ralph/suspend-state.json"))
            #expect(!workspace.exists(".ralph/resume-requested"))
            #expect(workspace.text("prompts")?.contains("### Builder Instructions") == true)
        }
    }

    @Test func `a stop file ends a suspended run, a signal does not`() async throws {
        try await suspended { workspace, run in
            run.signal(SIGTERM)
            try workspace.put("stop-requested")

            try await expectExit(.code(1), of: run)
            #expect(workspace.endReason == "stopped")
            #expect(!workspace.exists(".ralph/suspend-state.json"))
        }
    }

    @Test func `the signal of a suspended run takes effect after it was resumed`() async throws {
        try await suspended { workspace, run in
            run.signal(SIGTERM)
            try workspace.directory.remove(".ralph/pause-requested")
            try workspace.put("resume-requested")

            try await expectExit(.signal(SIGKILL), of: run)
            #expect(workspace.endReason == nil)
        }
    }

    @Test func `loops resume releases a suspended run and refuses another`() async throws {
        try await suspended { workspace, run in
            let id = try #require(workspace.text(".ralph/current-loop-id"))
            try workspace.directory.remove(".ralph/pause-requested")

            #expect(try await workspace.ralph(["loops", "resume", id]).exit == .code(0))

            try await expectExit(.code(0), of: run)
            #expect(try await workspace.ralph(["loops", "resume", id]).exit == .code(1))
        }
    }

    @Test func `a stale resume file cancels the next suspension`() async throws {
        var setup = StandInSetup(steps: fourTurns)
        setup.hasGate = true
        try await withStandInWorkspace(setup) { workspace in
            try workspace.put("pause-requested")
            try workspace.put("resume-requested")
            let run = try workspace.run()

            try await workspace.waitForTopic("slice.planned")
            try await workspace.waitForFile(".ralph/suspend-state.json")
            #expect(run.isRunning)
        }
    }
}
