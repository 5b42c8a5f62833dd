import RalphServer
import RalphTestSupport
import Synchronization
import Testing

/// A server that starts while something below its roots does not answer.
@Suite(.timeLimit(.minutes(1)))
struct LateFirstLookTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func has(_ words: String) -> Bool { lines.withLock { $0.contains { $0.contains(words) } } }
    }

    @Test func `the server listens, tells why, and denies no session until it has looked`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/.ralph/events.jsonl", RunningServer.lines(1...3, when: true))
            let (gate, log) = (ThreadGate(within: .seconds(40)), Lines())
            defer { gate.open() }
            try await withServer(
                in: directory, logger: TestLogger.make { log.add($0) },
                {
                    // Longer than a turn that finds nothing.
                    $0.readingPatience = .milliseconds(1500)
                    $0.fileSystem = { _ in
                        gate.pass()
                        return nil
                    }
                }
            ) { server in
                defer { gate.open() }
                try await expectWaiting(server)
                #expect(!gate.isOpen)
                #expect(log.has("Sessions are not read on"))

                gate.open()
                let id = try await server.waitForSession("w", events: 3)
                #expect(try await server.get("/api/sessions/\(id)/status").status == 200)
                try await eventually(within: .seconds(10), "a server that is ready") {
                    try await server.get("/readyz").status == 200
                }
                #expect(try await server.get("/api/sessions/0123456789abcdef").status == 404)
                try await eventually(within: .seconds(10), "the end of it in the log") {
                    log.has("Sessions are read on")
                }
            }
        }
    }

    @Test func `a first look that takes long in all is not waited for, stuck or not`() async throws {
        try await withTemporaryDirectory { directory in
            try directory.write("w/.ralph/events.jsonl", RunningServer.lines(1...3, when: true))
            let gate = ThreadGate(within: .seconds(40))
            defer { gate.open() }
            try await withServer(
                in: directory,
                {
                    $0.firstLookPatience = .milliseconds(200)
                    $0.fileSystem = { _ in
                        gate.pass()
                        return nil
                    }
                }
            ) { server in
                defer { gate.open() }
                #expect(try await server.get("/health").text == "OK")
                let ready = try await server.get("/readyz")
                #expect(ready.status == 503)
                #expect(try ready.object()["reasons"] as? [String] == ["scanning"])
                let list = try await server.get("/api/sessions")
                #expect(list.status == 503)
                #expect(try list.object()["error"] as? String == "scanning")
                try await eventually(within: .seconds(10), "the start-up lines") {
                    server.said.all.contains("Discovered 0 session(s) so far")
                }
                #expect(!gate.isOpen)

                gate.open()
                _ = try await server.waitForSession("w", events: 3)
                try await eventually(within: .seconds(10), "a server that is ready") {
                    try await server.get("/readyz").status == 200
                }
            }
        }
    }

    private func expectWaiting(_ server: RunningServer) async throws {
        #expect(try await server.get("/livez").status == 200)
        let ready = try await server.get("/readyz")
        #expect(ready.status == 503)
        #expect(try ready.object()["reasons"] as? [String] == ["scanning", "reading"])
        let health = try await server.get("/api/health").object()
        #expect(health["status"] as? String == "degraded")
        #expect((health["reading"] as? String)?.contains("30 s") == true)

        let session = "/api/sessions/0123456789abcdef"
        for path in [
            "/api/sessions", session, session + "/status", session + "/events", "/api/events", "/api/stats",
            "/api/robot/questions", "/api/loops", "/api/configs",
        ] {
            let response = try await server.get(path)
            #expect(response.status == 503, "\(path)")
            #expect(try response.object()["error"] as? String == "scanning", "\(path)")
            #expect(response.headers["retry-after"] == "5", "\(path)")
        }
        #expect(try await server.post(session + "/pause").status == 503)
        #expect(try await server.get("/api/nothing").status == 404)
        for path in ["/", "/metrics", "/api/devices"] {
            #expect(try await server.get(path).status == 200, "\(path)")
        }
    }
}
