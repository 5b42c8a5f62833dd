import Foundation
import RalphControl
import RalphSessions
import RalphTestSupport
import Testing

@testable import RalphServer

/// A server whose controllers wait, as for a file system that does not answer.
@Suite(.timeLimit(.minutes(2)))
struct SilentControllersTests {
    private func makeServer(in directory: TemporaryDirectory) throws -> RalphServer {
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.roots = [directory.path]
        configuration.stateDirectory = directory.path + "/.state"
        return try RalphServer(
            configuration, environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
            logger: TestLogger.make())
    }

    @Test func `neither probes nor other commands nor the end wait for controllers that wait`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("a/.ralph/events.jsonl", RunningServer.lines(1...5, when: true))
            let server = try makeServer(in: directory)
            let run = Task { try? await server.run(signals: nil) { _ in } }  // it is ended by cancellation
            defer { run.cancel() }
            try await eventually(within: .seconds(20), "server start") { server.port != nil }
            let running = RunningServer(port: server.port ?? 0, root: directory, said: .init())
            let id = try await running.waitForSession("a", events: 5)

            let gate = ThreadGate(within: .seconds(50))
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { gate.open() }
                let count = min(16 + ProcessInfo.processInfo.activeProcessorCount, 80)
                for number in 0..<count {
                    let workspace = SessionDirectory(workspace: directory.path + "/held\(number)")
                    let controller = server.parts.control.controller(of: .init(directory: workspace))
                    group.addTask { await hold(controller, gate) }
                }
                try await eventually(within: .seconds(20), "all of them waiting") { gate.kept == count }

                #expect(try await running.get("/readyz").status == 200)
                #expect(try await running.status(id)["last_seq"] != nil)
                #expect(try await running.send("DELETE", "/api/sessions/\(id)").status == 200)
                run.cancel()
                await run.value
                #expect(!gate.isOpen)
            }
        }
    }

    /// Has a controller wait until `gate` is opened: what is asked when a command's turn has come holds its thread, as a
    /// look at a file does.
    private func hold(_ controller: SessionController, _ gate: ThreadGate) async {
        let held = Requester("held") {
            gate.pass()
            return false
        }
        await #expect(throws: ControlError.revoked) {
            try await controller.pause(now: false, by: held)
        }
    }
}
