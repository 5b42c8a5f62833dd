import Foundation
import NIOPosix
import RalphSessions
import RalphTestSupport
import RalphWire
import Testing

@testable import RalphServer

/// Answers beside threads that wait for the files of a workspace, as on a file system that does not answer.
@Suite(.timeLimit(.minutes(1)))
struct SilentWorkspaceTests {
    private struct Answers {
        let status: [String: Any]
        /// Of starts that are refused: in a workspace, in a worktree that somebody merges, and beside the run of a workspace
        /// that has no repository.
        let starts: [HTTPProbe.Response]
        let purge: HTTPProbe.Response
    }

    private func answers(_ server: RunningServer, _ id: String) async throws -> Answers {
        let status = try await server.get("/api/sessions/\(id)/status").object()
        let bodies = [
            ("sessions", #"{"working_dir":"a","config_path":"none.yml","prompt":"x"}"#),
            ("sessions", #"{"working_dir":"a/.worktrees/fair-rose","prompt":"x"}"#),
            ("loops", #"{"working_dir":"a","prompt":"x"}"#),
        ]
        var starts: [HTTPProbe.Response] = []
        for (route, body) in bodies { starts.append(try await server.post("/api/\(route)", body)) }
        return Answers(
            status: status, starts: starts,
            purge: try await server.post("/api/sessions/\(id)/stop?purge=true"))
    }

    /// Writes a session, and a worktree that somebody else merges.
    private func fill(_ directory: TemporaryDirectory) throws {
        try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...5, when: true))
        try directory.write("a/.worktrees/fair-rose/x", "")
        let now = Timestamp.text(WallClock.milliseconds())
        try directory.write(
            "a/.ralph/merge-queue.jsonl",
            #"{"ts":"\#(now)","loop_id":"fair-rose","event":{"type":"merging","pid":\#(getpid())}}"# + "\n")
    }

    @Test func `the status of a session and commands elsewhere wait for no workspace`() async throws {
        try await withTemporaryDirectory { directory in
            try fill(directory)
            var configuration = ServerConfiguration()
            configuration.port = 0
            configuration.roots = [directory.path]
            configuration.stateDirectory = directory.path + "/.state"
            let server = try RalphServer(
                configuration, environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
                logger: TestLogger.make())
            let run = Task { try? await server.run(signals: nil) { _ in } }  // it is ended by cancellation
            defer { run.cancel() }
            try await eventually(within: .seconds(20), "server start") { server.port != nil }
            let running = RunningServer(port: server.port ?? 0, root: directory, said: .init())
            let id = try await running.waitForSession("a", events: 5)

            let gate = try await server.parts.threads.hold(directory.path + "/a")
            let result: Result<Answers, any Error>
            do {
                result = .success(try await answers(running, id))
            } catch {
                result = .failure(error)
            }
            gate.open()
            run.cancel()
            await run.value

            let answers = try result.get()
            let events = answers.status["recent_events"] as? [Any]
            #expect(events?.count == answers.status["last_seq"] as? Int)
            #expect(answers.starts.map(\.status) == [404, 409, 404])
            #expect(answers.purge.status == 200)
        }
    }
}
