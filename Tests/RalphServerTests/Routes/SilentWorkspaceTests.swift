import Foundation
import NIOPosix
import RalphTestSupport
import Testing

@testable import RalphServer

/// Answers beside threads that wait for the files of a workspace, as on a file system that does not answer.
@Suite(.timeLimit(.minutes(1)))
struct SilentWorkspaceTests {
    @Test func `the status of a session and a start elsewhere wait for no workspace`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...5, when: true))
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

            let gate = DispatchSemaphore(value: 0)
            for _ in 0..<2 { server.parts.threads.submit { _ in gate.wait() } }
            let answers: Result<([String: Any], HTTPProbe.Response), any Error>
            do {
                let start = #"{"working_dir":"a","config_path":"none.yml","prompt":"x"}"#
                answers = .success(
                    (
                        try await running.get("/api/sessions/\(id)/status").object(),
                        try await running.post("/api/sessions", start)
                    ))
            } catch {
                answers = .failure(error)
            }
            for _ in 0..<2 { gate.signal() }
            run.cancel()
            await run.value

            let (status, start) = try answers.get()
            #expect((status["recent_events"] as? [Any])?.count == status["last_seq"] as? Int)
            #expect((400..<500).contains(start.status))
        }
    }
}
