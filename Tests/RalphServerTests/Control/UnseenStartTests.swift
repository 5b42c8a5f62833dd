import RalphServer
import RalphSessions
import RalphTestSupport
import Testing

/// A run that is started while no look at the roots comes to its end.
@Suite(.timeLimit(.minutes(1)))
struct UnseenStartTests {
    @Test func `a start is answered with a session that is listed, whether a scan has come to it or not`()
        async throws
    {
        let gate = ThreadGate(within: .seconds(40))
        defer { gate.open() }
        try await withControl(configure: {
            $0.fileSystem = { path in
                // What finds the session goes on no sooner.
                if path.hasSuffix("/project/.ralph") { gate.pass() }
                return .local
            }
        }) { server, _ in
            defer { gate.open() }
            let id = try await server.start()
            #expect(try await server.status(id)["status"] as? String == "running")
            let list = try #require(try await server.get("/api/sessions").json() as? [[String: Any]])
            #expect(list.contains { $0["id"] as? String == id })
            let stream = try await server.stream("/api/sessions/\(id)/events")
            #expect(!gate.isOpen)

            gate.open()
            #expect(try await stream.eventIDs(1) == [1])
            let stopped = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
            #expect(stopped.status == 200)
            #expect(try await server.status(id)["status"] as? String == "stopped")
        }
    }
}
