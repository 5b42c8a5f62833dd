import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AuditRoutesTests {
    private static let key = ["X-Api-Key": TestSecrets.key]
    private static let remote = ["X-Api-Key": TestSecrets.key, "X-Forwarded-For": "203.0.113.9"]

    /// The audit log, the newest entry first, once it holds an entry of this action.
    private static func entries(
        _ server: RunningServer, until action: String, query: String = "?limit=500",
        headers: [String: String] = key
    ) async throws -> [[String: Any]] {
        var entries: [[String: Any]] = []
        try await eventually(within: .seconds(10), "\(action) in the audit log") {
            let page = try await server.get("/api/audit" + query, headers: headers).json()
            entries = page as? [[String: Any]] ?? []
            return entries.contains { $0["action"] as? String == action }
        }
        return entries
    }

    @Test func `what changes something is there, whatever came of it; what reads is not`() async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            _ = try await server.get("/api/sessions", headers: Self.key)
            _ = try await server.post("/api/memories/export", headers: Self.key)
            _ = try await server.post("/api/sessions/0123abcd/stop?force=1", headers: Self.remote)
            let entries = try await Self.entries(server, until: "POST /api/sessions/{id}/stop")

            #expect(
                entries.compactMap { $0["action"] as? String } == [
                    "POST /api/sessions/{id}/stop", "server.start",
                ])
            let stop = try #require(entries.first)
            #expect(stop["who"] as? String == "key")
            #expect(stop["peer"] as? String == "127.0.0.1")
            #expect(stop["target"] as? String == "0123abcd")
            #expect(stop["outcome"] as? String == "rejected")
            #expect(stop["status"] as? Int == 404)
        }
    }

    @Test(arguments: [
        (["X-Api-Key": TestSecrets.wrongKey], "/api/sessions", 401),
        (["Host": "evil.example", "X-Api-Key": TestSecrets.key], "/api/sessions", 421),
        (["Authorization": "Bearer \(TestSecrets.token)"], "/api/events?api_key=\(TestSecrets.key)", 401),
    ])
    func `a refusal is there with its route, and nothing of what was offered`(
        _ refusal: (headers: [String: String], target: String, status: Int)
    ) async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let probe = try server.probe()
            let headers = ["Host": "localhost"].merging(refusal.headers) { $1 }
            let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            try await probe.send("GET \(refusal.target) HTTP/1.1\r\n\(lines)\r\n")
            #expect(try await probe.response().status == refusal.status)
            let action = "GET " + (refusal.target.split(separator: "?").first ?? "")
            let entry = try #require(try await Self.entries(server, until: action).first)

            #expect(entry["status"] as? Int == refusal.status)
            #expect(entry["outcome"] as? String == "refused")
            #expect(entry["who"] as? String == "nobody")
            #expect(entry["target"] == nil)
        }
    }

    @Test func `streams that callers from elsewhere open are there, those of this machine are not`()
        async throws
    {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let near = try await server.stream("/api/events", headers: Self.key)
            let far = try await server.stream("/api/events", headers: Self.remote)
            let entries = try await Self.entries(server, until: "GET /api/events")
            near.close()
            far.close()

            #expect(entries.filter { $0["action"] as? String == "GET /api/events" }.count == 1)
        }
    }

    @Test func `pages go backwards by number, over a restart of the server`() async throws {
        try await withTemporaryDirectory { directory in
            for _ in 1...2 {
                try await withServer(in: directory, { $0.apiKey = TestSecrets.key }) { server in
                    _ = try await Self.entries(server, until: "server.start")
                }
            }
            try await withServer(in: directory, { $0.apiKey = TestSecrets.key }) { server in
                try await eventually(within: .seconds(10), "three starts") {
                    try await Self.entries(server, until: "server.start").count == 5
                }
                let page = try await Self.entries(server, until: "server.stop", query: "?limit=2&before=5")

                #expect(page.compactMap { $0["seq"] as? Int } == [4, 3])
                #expect(page.compactMap { $0["action"] as? String } == ["server.stop", "server.start"])
            }
        }
    }

    @Test(arguments: ["limit=0", "limit=501", "before=0", "before=x", "limit=-1"])
    func `a number outside its bounds is refused`(_ query: String) async throws {
        try await withServer { server in
            let response = try await server.get("/api/audit?" + query)

            #expect(response.status == 400)
        }
    }

    @Test func `health and metrics say what was dropped`() async throws {
        try await withServer { server in
            let health = try await server.get("/api/health").object()
            let metrics = try await server.get("/metrics").text

            #expect(health["audit_dropped"] as? Int == 0)
            #expect(health["audit_failures"] as? Int == 0)
            #expect(metrics.contains("ralph_mobile_audit_dropped_total 0"))
        }
    }

    @Test func `a command whose body breaks the framing is there`() async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let probe = try server.probe()
            try await probe.send(
                "POST /api/sessions/0123abcd/steer HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(TestSecrets.key)\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n")
            #expect(try await probe.response().status == 400)
            let entries = try await Self.entries(server, until: "POST /api/sessions/{id}/steer")

            let steer = try #require(entries.first)
            #expect(steer["who"] as? String == "key" && steer["target"] as? String == "0123abcd")
            #expect(steer["outcome"] as? String == "rejected" && steer["status"] as? Int == 400)
        }
    }

    @Test func `a stranger's faulty requests are gathered like refusals`() async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            for _ in 0..<100 {
                let probe = try server.probe()
                try await probe.send(
                    "POST /api/pairing/redeem HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
                let status = try await probe.response().status
                #expect(status == 400)
            }
            let entries = try await Self.entries(server, until: "POST /api/pairing/redeem")

            #expect(entries.filter { $0["action"] as? String == "POST /api/pairing/redeem" }.count < 5)
        }
    }

    @Test(arguments: [
        ("POST", "/api/pairing/redeem", [:]), ("DELETE", "/api/device", ["Idempotency-Key": "two words"]),
    ])
    func `faulty requests that need no right but to watch are gathered whoever makes them`(
        _ request: (method: String, target: String, headers: [String: String])
    ) async throws {
        try await withDevices { server in
            let headers = PairedDevice.watch.headers.merging(request.headers) { $1 }
            for _ in 0..<100 {
                try await expectStatus(
                    400, server.send(request.method, request.target, "{}", headers: headers))
            }
            // What was noted before it is there with it.
            _ = try await server.post("/api/loops", headers: PairedDevice.owner)
            let log = try await Self.entries(server, until: "POST /api/loops", headers: PairedDevice.owner)
            let action = "\(request.method) \(request.target)"
            let entries = log.filter { $0["action"] as? String == action }

            #expect((1..<5).contains(entries.count), "\(entries.count)")
            #expect(entries.allSatisfy { $0["who"] as? String == "device" })
        }
    }

    @Test(arguments: ["GET /livez", "POST /api/pairing/redeem"])
    func `a stranger's body is short or refused`(_ line: String) async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let probe = try server.probe()
            try await probe.send("\(line) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n")
            let status = try await probe.response().status

            #expect(status == 413)
        }
    }

    @Test func `a request on a connection is not taken for the one before it`() async throws {
        try await withServer({ $0.apiKey = TestSecrets.key }) { server in
            let probe = try server.probe()
            let head = "HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: \(TestSecrets.key)\r\n"
            try await probe.send("DELETE /api/device \(head)\r\n")
            #expect(try await probe.response().status == 404)
            try await probe.send("GET /api/sessions/x \(head)\r\n")
            #expect(try await probe.response().status == 404)
            try await probe.send(
                "POST /api/loops HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
            #expect(try await probe.response().status == 401)
            let entries = try await Self.entries(server, until: "POST /api/loops")

            #expect(entries.compactMap { $0["who"] as? String } == ["nobody", "key", "server"])
        }
    }
}
