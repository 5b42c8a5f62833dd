import Foundation
import RalphWire
import Testing

@testable import RalphSessions

/// The recording of a headless run, beside which another one was started in the same directory and moved to a worktree.
@Suite(.timeLimit(.minutes(1))) struct WorktreeOutputTests {
    private static let home = "/home/dev/project"
    private static let output = "e-parallel-worktrees/rpc-stdout.jsonl"
    private static let events = "e-parallel-worktrees/while-running/.ralph/events-20261121-031802.jsonl"
    /// What the main loop itself would have said had it been started with `--rpc` as well.
    private static let own =
        #"{"type":"loop_started","prompt":"own","max_iterations":7,"workspace_root":"/home/dev/project","#
        + #""started_at":1795231082023}"# + "\n"
        + #"{"type":"iteration_start","iteration":1,"hat":"planner","started_at":1795231082024}"# + "\n"

    /// A reading of the main loop's events file while it runs, in a workspace at `home`.
    private static func reading(home: String) throws -> Reading {
        var reading = Reading()
        reading.narrator.follow(
            DiscoveredSession(
                directory: SessionDirectory(workspace: home), agentOutput: [home + "/rpc-stdout.jsonl"]))
        reading.engine(try Samples.bytes(events))
        return reading
    }

    @Test(arguments: [false, true])
    func `what a loop in a worktree prints into the main workspace is not of the main loop`(
        isRestarted: Bool
    ) throws {
        var reading = try Self.reading(home: Self.home)
        let (before, topics) = (reading.narrator.state, reading.topics())
        let lines = try Samples.text(Self.output).split(separator: "\n").map { $0 + "\n" }
        reading.agent(lines.prefix(5).joined())
        if isRestarted {
            let state = try JSONEncoder().encode(reading.narrator.state)
            reading.narrator = SessionNarrator(
                state: try JSONDecoder().decode(SessionState.self, from: state), workspace: nil)
        }
        reading.agent(lines.dropFirst(5).joined())

        let state = reading.narrator.state
        #expect(reading.topics() == topics)
        #expect(state.runEndedAt == nil && state.runStartedAt == before.runStartedAt)
        #expect(state.prompt == before.prompt && state.maxIterations == before.maxIterations)
        #expect(state.iterations == before.iterations && state.hat == before.hat)
        #expect(state.droppedAgentLines >= lines.count && !state.hasAgentIterations)
    }

    @Test func `output of the main loop is read before and behind that of one in a worktree`() throws {
        var reading = try Self.reading(home: Self.home)
        let other = Reading.agentFile + "l"
        reading.agent(Self.own)
        reading.agent(try Samples.text(Self.output), file: other)
        #expect(reading.narrator.state.prompt == "own" && reading.narrator.state.runEndedAt == nil)

        let count = reading.topics(.agent).count
        let text = #"{"type":"text_delta","iteration":1,"delta":"x"}"# + "\n"
        reading.agent(text)
        #expect(reading.topics(.agent).dropFirst(count) == ["agent.text"])
        reading.agent(Self.own + text, file: other)
        #expect(reading.topics(.agent).last == "agent.text")
        #expect(reading.topics(.agent).count > count + 1)
    }

    @Test(arguments: ["/srv/copy", "/home/dev/project/.worktrees/fair-rose", "/home/dev"])
    func `output that names another place than one in this workspace's worktrees is read`(home: String) throws
    {
        var reading = try Self.reading(home: home)
        reading.agent(try Samples.text(Self.output))

        #expect(reading.topics(.agent).contains("agent.text"))
    }
}
