import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Sessions of a layout that is not known, to which nothing is ever written (design 3.1).
@Suite(.timeLimit(.minutes(1)))
struct ReadOnlySessionTests {
    /// Runs `body` with the id of such a session, whose directory holds afterwards what it held.
    private func withSession(
        _ body: @Sendable @escaping (RunningServer, String) async throws -> Void
    ) async throws {
        try await withServer { server in
            try server.root.write("old/autoloop/journal.jsonl", "{}\n")
            let id = try await server.waitForSession("old", events: 0)
            try await body(server, id)
            #expect(try server.root.names(in: "old") == ["autoloop"])
            #expect(try server.root.names(in: "old/autoloop") == ["journal.jsonl"])
        }
    }

    @Test func `one of which no run is known is over for a stop, and can be purged`() async throws {
        try await withSession { server, id in
            for _ in 0..<2 {
                let stopped = try await server.send("DELETE", "/api/sessions/\(id)")
                #expect(stopped.status == 200, "\(stopped.text)")
                let answer = try stopped.object()
                #expect(answer["status"] as? String == "stopped" && answer["already"] as? Bool == true)
                #expect(answer["final_status"] as? String == "idle")
            }
            let pause = try await server.post("/api/sessions/\(id)/pause")
            #expect(pause.status == 409)
            #expect(try pause.object()["error"] as? String == "session_read_only")

            #expect(try await server.send("DELETE", "/api/sessions/\(id)?purge=true").status == 200)
            #expect(try await server.get("/api/sessions").text == "[]")
        }
    }

    @Test func `a process that may be its run is neither signalled nor said to have ended`() async throws {
        try await withSession { server, id in
            let program = try server.root.write("bin/autoloop", "#!/bin/sh\nread line\n")
            chmod(program, 0o755)
            let process = try StandInProcess(
                program, ["run"], environment: ["PATH": "/usr/bin:/bin"],
                directory: server.root.path + "/old", files: server.root.path + "/process", hasInput: true)
            try await eventually(within: .seconds(20), "the program in its place") {
                let words = ProcessSnapshot(pid: process.pid)?.arguments ?? []
                return words.prefix(2).contains(program)
            }

            let refused = try await server.send("DELETE", "/api/sessions/\(id)?force=1&purge=true")
            #expect(refused.status == 409)
            #expect(try refused.object()["error"] as? String == "session_read_only")
            #expect(process.isRunning)

            process.closeInput()
            try await process.waitForExit()
            #expect(try await server.send("DELETE", "/api/sessions/\(id)").status == 200)
        }
    }
}
