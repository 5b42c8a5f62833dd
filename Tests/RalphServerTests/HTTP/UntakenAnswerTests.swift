import Foundation
import RalphServer
import RalphSessions
import RalphTestSupport
import Testing

/// Clients that ask and do not read.
@Suite(.timeLimit(.minutes(1)))
struct UntakenAnswerTests {
    private static let requests = 60

    /// A server with a page of history of about a megabyte, and a connection on which it was asked for many times.
    private func withAsker(
        _ configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (RunningServer, HTTPProbe) async throws -> Void
    ) async throws {
        try await withServer(configure) { server in
            let text = String(repeating: "x", count: 2000)
            let lines = (1...500).map {
                #"{"topic":"n.x","ts":"2026-11-21T03:20:36.\#(100 + $0)Z","payload":"\#(text)"}"#
            }
            try server.root.write("a/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let id = try await server.waitForSession("a", events: 500)
            let probe = try server.probe()
            for _ in 0..<Self.requests { try await probe.request("/api/sessions/\(id)/history?limit=500") }
            try await body(server, probe)
        }
    }

    private func answers(_ server: RunningServer) async throws -> Int {
        let text = try await server.get("/metrics").text
        let name =
            #"ralph_mobile_http_requests_total{route="/api/sessions/{id}/history",method="GET",status="2xx"} "#
        return text.split(separator: "\n").first { $0.hasPrefix(name) }.flatMap {
            Int($0.dropFirst(name.count))
        } ?? 0
    }

    @Test func `what comes behind a request for another protocol is not kept`() async throws {
        try await withServer { server in
            let text = String(repeating: "x", count: 20_000)
            let lines = (1...500).map {
                #"{"topic":"n.x","ts":"2026-11-21T03:20:36.\#(100 + $0)Z","payload":"\#(text)"}"#
            }
            try server.root.write("a/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let id = try await server.waitForSession("a", events: 500)
            let probe = try HTTPProbe(port: server.port, receiveBytes: 64 * 1024)
            try await probe.send(
                "GET /api/sessions/\(id)/history?limit=500 HTTP/1.1\r\nHost: localhost\r\n"
                    + "Connection: Upgrade\r\nUpgrade: x\r\n\r\n")
            try await SendQueue.waitUntilStuck(port: server.port)
            let before = try await server.figure("process_resident_memory_bytes")

            let piece = [UInt8](repeating: 0x20, count: 1 << 20)
            for _ in 0..<256 { try await probe.send(piece) }
            let after = try await server.figure("process_resident_memory_bytes")
            #expect(after - before < 128 * 1024 * 1024)
            #expect(try await probe.response().body.count > 1_000_000)
        }
    }

    @Test func `no further answer is made before the last one was taken`() async throws {
        try await withAsker { server, probe in
            try await SendQueue.waitUntilStuck(port: server.port)
            let made = try await answers(server)
            #expect(made < Self.requests / 2)

            for _ in 0..<Self.requests {
                let answer = try await probe.response()
                #expect(answer.body.count > 1_000_000)
            }
            let all = try await answers(server)
            #expect(all == Self.requests)
        }
    }

    @Test func `who has too much waiting is refused, alone, until it is taken`() async throws {
        let key = "a key of thirty-two characters!!"
        try await withServer({ $0.apiKey = key }) { server in
            let text = String(repeating: "x", count: 20_000)
            let lines = (1...900).map {
                #"{"topic":"n.x","ts":"2026-11-21T03:20:36.\#(100 + $0)Z","payload":"\#(text)"}"#
            }
            try server.root.write("a/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let header = "X-Api-Key: \(key)\r\n"
            let id = SessionDirectory(workspace: server.root.path + "/a").id
            let path = "/api/sessions/\(id)/export"
            var probes: [HTTPProbe] = []
            func ask() async throws {
                let probe = try HTTPProbe(port: server.port, receiveBytes: 64 * 1024)
                probes.append(probe)
                try await probe.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
            }
            func page() async throws -> Int {
                try await server.get("/api/sessions/\(id)/history", headers: ["X-Api-Key": key]).status
            }
            try await eventually(within: .seconds(20), "a refusal") {
                try await ask()
                return try await page() == 429
            }
            #expect(probes.count >= 4)
            #expect(
                try await server.get("/api/health", headers: ["X-Api-Key": key]).status == 200, "it is small")

            for probe in probes { _ = try await probe.response(within: .seconds(20)) }
            try await eventually(within: .seconds(10), "an answer") { try await page() == 200 }
        }
    }

    @Test func `who takes no answer to commands gets none carried out, until they are taken`() async throws {
        let key = ["X-Api-Key": "a key of thirty-two characters!!"]
        try await withServer({ $0.apiKey = key["X-Api-Key"] }) { server in
            let path = server.root.path + "/.ralph/agent/memories.md"
            var probes: [HTTPProbe] = []
            func put(_ number: Int) async throws {
                let probe = try HTTPProbe(port: server.port, receiveBytes: 64 * 1024)
                probes.append(probe)
                let body = #"{"content":"\#(number) "# + String(repeating: "x", count: 7 << 20) + #""}"#
                let lines = key.map { "\($0.key): \($0.value)\r\n" }.joined()
                try await probe.send(
                    "PUT /api/memories HTTP/1.1\r\nHost: localhost\r\n\(lines)"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                try await eventually(within: .seconds(10), "what number \(number) writes") {
                    FileManager.default.contents(atPath: path)?.starts(with: "\(number) ".utf8) == true
                }
            }
            for number in 1...5 { try await put(number) }

            try await eventually(within: .seconds(10), "a refusal") {
                try await server.send("PUT", "/api/memories", #"{"content":"six"}"#, headers: key).status
                    == 429
            }
            #expect(try await server.get("/api/health", headers: key).status == 200, "it is no command")

            for probe in probes {
                let answer = try await probe.response(within: .seconds(20))
                #expect(answer.status == 200 && answer.body.count > 7 << 20)
            }
            try await eventually(within: .seconds(10), "an answer") {
                try await server.send("PUT", "/api/memories", #"{"content":"six"}"#, headers: key).status
                    == 200
            }
        }
    }

    @Test func `a client that closes its sending half gets all that it asked for, and then the end`()
        async throws
    {
        try await withAsker { server, probe in
            for _ in 0..<2 { try await probe.request("/health") }
            probe.closeSending()
            try await SendQueue.waitUntilStuck(port: server.port)

            for _ in 0..<Self.requests {
                let answer = try await probe.response()
                #expect(answer.body.count > 1_000_000)
            }
            for _ in 0..<2 { #expect(try await probe.response().text == "OK") }
            try await probe.waitForClose()
            #expect(probe.unread.isEmpty)
        }
    }

    @Test func `a client that takes its stream slowly gets all of it`() async throws {
        try await withServer({ $0.streams.stallSeconds = 8 }) { server in
            let text = String(repeating: "x", count: 20_000)
            let lines = (1...900).map {
                #"{"topic":"n.x","ts":"2026-11-21T03:20:36.\#(100 + $0)Z","payload":"\#(text)"}"#
            }
            try server.root.write("a/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let id = try await server.waitForSession("a", events: 900)
            let probe = try HTTPProbe(port: server.port, receiveBytes: 64 * 1024)
            try await probe.request("/api/sessions/\(id)/events.ndjson?tail=all&follow=false")
            #expect(try await probe.head().status == 200)
            // Less than the kernel waits for before it asks for more, and longer than nothing is waited for.
            for _ in 0..<14 {
                try probe.take(32 * 1024)
                let before = try await server.uptime()
                try await eventually(within: .seconds(10), "a second") { try await server.uptime() > before }
            }
            #expect(
                try await probe.linesToEnd(within: .seconds(30)).filter { $0.contains(text) }.count == 900)
        }
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func `a client that takes its answer slowly gets all of it`(_ header: String) async throws {
        try await withServer({ $0.http.closingSeconds = 5 }) { server in
            let text = String(repeating: "x", count: 20_000)
            let lines = (1...900).map {
                #"{"topic":"n.x","ts":"2026-11-21T03:20:36.\#(100 + $0)Z","payload":"\#(text)"}"#
            }
            try server.root.write("a/.ralph/events.jsonl", lines.joined(separator: "\n") + "\n")
            let id = try await server.waitForSession("a", events: 900)
            let probe = try server.probe()
            try await probe.send(
                "GET /api/sessions/\(id)/export HTTP/1.1\r\nHost: localhost\r\n\(header)\r\n")
            // Longer than anybody who takes nothing is waited for.
            for _ in 0..<7 {
                try probe.take(256 * 1024)
                let before = try await server.uptime()
                try await eventually(within: .seconds(10), "a second") { try await server.uptime() > before }
            }

            let answer = try await probe.response(within: .seconds(30))
            #expect(answer.status == 200)
            #expect(answer.body.count > 8_000_000)
        }
    }

    @Test func `a client that takes nothing is cut`() async throws {
        try await withAsker({ $0.http.closingSeconds = 1 }) { server, _ in
            try await eventually(within: .seconds(15), "the cut") {
                let streams = try await server.get("/api/health").object()["streams"] as? [String: Any]
                return streams?["untaken_answers"] as? Int == 1
            }
        }
    }
}

extension RunningServer {
    /// Whole seconds since the server began.
    fileprivate func uptime() async throws -> Int {
        try await get("/api/health").object()["uptime_secs"] as? Int ?? 0
    }
}
