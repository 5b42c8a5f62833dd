import Foundation
import Logging
import RalphServer
import RalphTestSupport
import Synchronization
import Testing

/// Nothing that a person or a program says, and nothing that lets anybody in, gets into what the server writes
/// about itself, however talkative it is told to be.
@Suite(.timeLimit(.minutes(2)))
struct LeakTests {
    private static let secrets = [
        TestSecrets.stem, TestSecrets.token, String(TestSecrets.token.dropFirst(4)), TestSecrets.ticket,
    ]
    /// As bodies of whatever route: each has a secret in every member that some route reads as a text.
    private static let bodies = [
        #"{"prompt":"\#(TestSecrets.prompt)","message":"\#(TestSecrets.steering)","topic":"a.b","payload":"\#(TestSecrets.payload)","content":"a: \#(TestSecrets.payload)\nb: [","title":"\#(TestSecrets.prompt)","ticket":"\#(TestSecrets.ticket)","response_text":"\#(TestSecrets.steering)","guidance_text":"\#(TestSecrets.steering)","question_id":"q_0","name":"\#(TestSecrets.payload)","status":"\#(TestSecrets.payload)"}"#,
        #"{"prompt":"\#(TestSecrets.prompt)","message":7,"topic":"\#(TestSecrets.payload)","payload":{"k":"\#(TestSecrets.payload)"},"session_id":"\#(TestSecrets.payload)","config_path":"\#(TestSecrets.payload)","ticket":7,"content":7}"#,
        #"{"prompt":"\#(TestSecrets.prompt)""#,
    ]

    /// What offers a secret.
    private static let headers: [[String: String]] = [
        [:], ["X-Api-Key": TestSecrets.key], ["X-Api-Key": TestSecrets.wrongKey],
        ["Authorization": "Bearer \(TestSecrets.token)"], ["Authorization": "Basic \(TestSecrets.wrongKey)"],
        [
            "X-Api-Key": TestSecrets.key, "Idempotency-Key": TestSecrets.payload.filter { $0 != " " },
            "Cookie": "a=\(TestSecrets.key)", "Last-Event-ID": TestSecrets.payload,
            "User-Agent": TestSecrets.payload, "Origin": "http://\(TestSecrets.stem).example",
            "X-Forwarded-For": TestSecrets.payload,
        ],
    ]

    private static func ask(_ server: RunningServer, _ route: String, _ id: String) async throws {
        let parts = route.split(separator: " ")
        let path = parts[1].replacing("{id}", with: id).replacing("{name}", with: TestSecrets.token)
            .replacing("{path...}", with: "x")
        for headers in headers {
            for (index, body) in (parts[0] == "GET" ? ["", ""] : bodies).enumerated() {
                let query =
                    index == 0
                    ? "" : "?api_key=\(TestSecrets.key)&ticket=\(TestSecrets.ticket)&q=quagga&status=quagga"
                // A stream that is let in would never end.
                let isStream = path.hasSuffix("/events") || path.hasSuffix(".ndjson")
                let end = isStream ? (query.isEmpty ? "?" : query + "&") + "follow=false" : query
                _ = try await server.send(String(parts[0]), path + end, body, headers: headers)
            }
        }
    }

    @Test
    func `no route lets a secret, a prompt or a payload into a log, the start's lines or the audit log`()
        async throws
    {
        let logged = Mutex<[String]>([])
        try await withTemporaryDirectory { directory in
            let payload = #"{"topic":"a.b","ts":"2026-01-01T00:00:00Z","payload":"\#(TestSecrets.payload)"}"#
            try directory.write("w/.ralph/events.jsonl", payload + "\n" + payload.dropLast() + "\n")
            // It says what it was asked, as programs do that complain of their arguments.
            let ralph = try directory.write(
                "bin/ralph", "#!/bin/sh\necho \"no such thing: $*\" >&2\nexit 2\n")
            chmod(ralph, 0o700)
            let logger = TestLogger.make { line in logged.withLock { $0.append(line) } }
            try await withServer(
                in: directory, logger: logger,
                {
                    $0.apiKey = TestSecrets.key
                    $0.ralph = ralph
                    $0.logLevel = .trace
                    $0.slowsGuesses = false
                    $0.rates.commands = nil
                }
            ) { server in
                let id = try await server.keyedSession()
                for route in RalphServer.routes { try await Self.ask(server, route, id) }
                Self.check(server.said.all, "standard output")
            }
            let audit = FileManager.default.contents(atPath: directory.path + "/.state/audit.jsonl") ?? Data()
            let lines = String(decoding: audit, as: UTF8.self).split(separator: "\n").map(String.init)
            #expect(lines.count > 50)
            Self.check(lines, "the audit log")
        }
        let lines = logged.withLock { $0 }
        #expect(lines.contains { $0.contains("Request refused") })
        Self.check(lines, "the log")
    }

    private static func check(_ lines: [String], _ place: String) {
        for line in lines {
            #expect(!secrets.contains { line.contains($0) }, "\(place): \(line.prefix(300))")
        }
    }
}

extension RunningServer {
    /// The id of the only session of a server that asks for ``TestSecrets/key``.
    fileprivate func keyedSession() async throws -> String {
        var id = ""
        try await eventually(within: .seconds(10), "a session") {
            let list = try await get("/api/sessions", headers: ["X-Api-Key": TestSecrets.key]).json()
            id = (list as? [[String: Any]])?.first?["id"] as? String ?? ""
            return !id.isEmpty
        }
        return id
    }
}
