import Foundation
import RalphTestSupport
import Testing

/// The four turns that most tests need: planned, built, accepted, complete.
let fourTurns = """
    iteration 1:
    emit slice.planned s
    iteration 2:
    emit slice.built b
    iteration 3:
    emit slice.accepted ok
    iteration 4:
    complete
    """

@Suite(.timeLimit(.minutes(1))) struct RunTests {
    @Test func `a run ends with its completion event and status 0`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: fourTurns)) { workspace in
            let run = try workspace.run()

            try await expectExit(.code(0), of: run)
            #expect(
                workspace.plainTopics == [
                    "work.start", "slice.planned", "slice.built", "slice.accepted", "LOOP_COMPLETE",
                    "loop.terminate",
                ])
            #expect(workspace.endReason == "completed")
            #expect(workspace.liveProcesses().isEmpty)
        }
    }

    @Test func `a stop file ends the run before the events of its iteration are routed`() async throws {
        let steps = "iteration 1:\nemit slice.planned s\niteration 2:\ntouch in-two\nwait-for go\ncomplete"
        try await withStandInWorkspace(StandInSetup(steps: steps)) { workspace in
            let run = try workspace.run()
            try await workspace.waitForFile("in-two")
            try workspace.put("stop-requested")
            try workspace.directory.write("go", "")

            try await expectExit(.code(1), of: run)
            #expect(workspace.endReason == "stopped")
            #expect(!workspace.exists(".ralph/stop-requested"))
        }
    }

    @Test func `a stale stop file kills the next run at once`() async throws {
        try await withStandInWorkspace(StandInSetup(steps: fourTurns)) { workspace in
            try workspace.put("stop-requested")

            try await expectExit(.code(1), of: try workspace.run())
            #expect(workspace.topics == ["work.start", "loop.terminate"])
        }
    }
}
