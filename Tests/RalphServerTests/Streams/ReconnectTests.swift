import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ReconnectTests {
    private let app = "RalphMobile/1 CFNetwork/1490.0.4 Darwin/23.2.0"

    @Test func `the app reconnects without a cursor and gets only what it missed`() async throws {
        try await withServer { [app] server in
            let id = try await server.session("a", lines: 5)
            let cookie = try await Self.openAndLeave(server, id, userAgent: app, expecting: 5)
            try server.append("a", 6...7)
            _ = try await server.waitForSession("a", events: 7)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(2) == [6, 7])
        }
    }

    @Test func `the cookie is for no script and no other site, and who has it keeps it`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 1)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events")
            let cookie = try #require(try await probe.head().headers["set-cookie"])
            let parts = cookie.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(parts[0].wholeMatch(of: /ralph_client=[0-9a-f]{32}/) != nil)
            #expect(Set(parts.dropFirst()) == ["Path=/", "Max-Age=31536000", "HttpOnly", "SameSite=Strict"])

            let again = try server.probe()
            try await again.request("/api/sessions/\(id)/events", headers: ["Cookie": parts[0]])
            #expect(try await again.head().headers["set-cookie"] == nil)
        }
    }

    @Test func `what the app did not read as its connection broke comes again`() async throws {
        try await withServer { [app] server in
            let id = try await server.session("a", lines: 5)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: ["User-Agent": app])
            let head = try await probe.head()
            _ = try await probe.eventIDs(2)
            probe.reset()
            let cookie = try await Self.noticedEnd(of: head.headers, server)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(5) == Array(1...5))
        }
    }

    @Test func `what the app confirmed long before its connection broke does not come again`() async throws {
        try await withServer({ $0.streams.keepAliveSeconds = 1 }) { [app] server in
            let id = try await server.session("a", lines: 5)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: ["User-Agent": app])
            let headers = try await Self.confirmFive(probe)
            try server.append("a", 6...7)
            _ = try await probe.eventIDs(1)
            probe.reset()
            let cookie = try await Self.noticedEnd(of: headers, server)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(2) == [6, 7])
        }
    }

    #if os(Linux)
    @Test func `an app that is gone without a word is noticed, and goes on behind what it had confirmed`()
        async throws
    {
        try await withServer({ ($0.streams.keepAliveSeconds, $0.streams.stallSeconds) = (1, 4) }) {
            [app] server in
            let id = try await server.session("a", lines: 5)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: ["User-Agent": app])
            let headers = try await Self.confirmFive(probe)
            try probe.vanish()
            try server.append("a", 6...7)
            let cookie = try await Self.noticedEnd(of: headers, server, within: .seconds(25))
            #expect(try await server.streams()["stalled"] == 1)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(2) == [6, 7])
            withExtendedLifetime(probe) {}
        }
    }

    @Test func `a client that is gone before it has confirmed anything is noticed`() async throws {
        try await withServer({ ($0.streams.keepAliveSeconds, $0.streams.stallSeconds) = (1, 4) }) { server in
            let id = try await server.session("a", lines: 5)
            let probe = try server.probe()
            try probe.vanish()
            try await probe.request("/api/sessions/\(id)/events")

            try await eventually(within: .seconds(25), "the stream cut") {
                try await server.streams()["stalled"] == 1
            }
            #expect(try await server.streams()["open"] == 0)
            withExtendedLifetime(probe) {}
        }
    }
    #endif

    @Test(arguments: ["topic=none", "tail=0", "poll=1", "replay=none"])
    func `a stream that leaves something out is not gone on from`(query: String) async throws {
        try await withServer { [app] server in
            let id = try await server.session("a", lines: 5)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events?\(query)", headers: ["User-Agent": app])
            let head = try await probe.head()
            try await Self.readToHead(probe)
            probe.close()
            let cookie = try await Self.noticedEnd(of: head.headers, server)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(5) == Array(1...5))
        }
    }

    @Test func `a stream that the server ends is gone on from once its client has got all`() async throws {
        try await withServer({ $0.streams.endedIdleSeconds = 1 }) { [app] server in
            let end =
                #"{"ts":"2026-11-21T03:20:50Z","iteration":1,"hat":"loop","topic":"loop.terminate","payload":"x"}"#
            let id = try await server.session("a", lines: 3)
            try server.root.append("a/.ralph/events.jsonl", end + "\n")
            _ = try await server.waitForSession("a", events: 5)
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: ["User-Agent": app])
            let head = try await probe.head()
            _ = try await probe.eventIDs(5)
            try await probe.waitForClose()
            let cookie = try await Self.noticedEnd(of: head.headers, server)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            try server.append("a", 6...6)
            #expect(try await again.eventIDs(1) == [6])
        }
    }

    @Test func `after a status the app gets the default replay`() async throws {
        try await withServer { [app] server in
            let id = try await server.session("a", lines: 5)
            let cookie = try await Self.openAndLeave(server, id, userAgent: app, expecting: 5)
            _ = try await server.get("/api/sessions/\(id)/status", headers: ["Cookie": cookie])

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": app, "Cookie": cookie])
            #expect(try await again.eventIDs(5) == Array(1...5))
        }
    }

    @Test func `behind a proxy, which confirms in the app's place, the app gets the default replay`()
        async throws
    {
        try await withServer({ $0.apiKey = TestSecrets.key }) { [app] server in
            try server.append("a", 1...5)
            let key = ["X-Api-Key": TestSecrets.key]
            var id = ""
            try await eventually(within: .seconds(10), "the session") {
                let list = try await server.get("/api/sessions", headers: key).json() as? [[String: Any]]
                id = list?.first?["id"] as? String ?? ""
                return list?.first?["event_count"] as? Int == 5
            }
            let headers = key.merging(["User-Agent": app, "X-Forwarded-For": "203.0.113.9"]) { $1 }
            let probe = try server.probe()
            try await probe.request("/api/sessions/\(id)/events", headers: headers)
            let head = try await probe.head()
            _ = try await probe.eventIDs(5)
            try await Self.readToHead(probe)
            probe.close()
            let cookie = try await Self.noticedEnd(of: head.headers, server, key)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: headers.merging(["Cookie": cookie]) { $1 })
            #expect(try await again.eventIDs(5) == Array(1...5))
        }
    }

    @Test(arguments: [true, false])
    func `the app goes on where it was after a restart of the server`(_ isOpen: Bool) async throws {
        try await withTemporaryDirectory { [app] directory in
            let headers = ["User-Agent": app, "Cookie": "ralph_client=" + String(repeating: "a", count: 32)]
            try await withServer(in: directory, { $0.streams.keepAliveSeconds = 1 }) { server in
                let id = try await server.session("a", lines: 5)
                let probe = try server.probe()
                try await probe.request("/api/sessions/\(id)/events", headers: headers)
                let fields = try await Self.confirmFive(probe)
                guard !isOpen else { return }
                probe.close()
                _ = try await Self.noticedEnd(of: fields, server)
                try server.append("a", 6...7)
                _ = try await server.waitForSession("a", events: 7)
            }
            try await withServer(in: directory) { server in
                if isOpen { try server.append("a", 6...7) }
                let id = try await server.waitForSession("a", events: 7)
                let stream = try await server.stream("/api/sessions/\(id)/events", headers: headers)
                #expect(try await stream.eventIDs(2) == [6, 7])
            }
        }
    }

    @Test func `nobody else is guessed about`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 5)
            let cookie = try await Self.openAndLeave(server, id, userAgent: "curl/8", expecting: 5)

            let again = try await server.stream(
                "/api/sessions/\(id)/events", headers: ["User-Agent": "curl/8", "Cookie": cookie])
            #expect(try await again.eventIDs(5) == Array(1...5))
        }
    }

    /// Reads a stream to its head, leaves, and gives the cookie once the server has noticed.
    private static func openAndLeave(
        _ server: RunningServer, _ id: String, userAgent: String, expecting count: Int
    ) async throws -> String {
        let probe = try server.probe()
        try await probe.request("/api/sessions/\(id)/events", headers: ["User-Agent": userAgent])
        let head = try await probe.head()
        _ = try await probe.eventIDs(count)
        try await readToHead(probe)
        probe.close()
        return try await noticedEnd(of: head.headers, server)
    }

    /// Up to what says that everything so far has come: who closes with something unread resets the connection.
    private static func readToHead(_ probe: HTTPProbe) async throws {
        while let frame = try await probe.frame(), !frame.comments.contains(where: { $0.contains("synced") })
        {}
    }

    /// Reads five events, and on until the server knows that they are confirmed: it looks as often as it keeps alive, and
    /// the second look tells. Gives the head's fields.
    private static func confirmFive(_ probe: HTTPProbe) async throws -> [String: String] {
        let head = try await probe.head()
        _ = try await probe.eventIDs(5)
        for _ in 1...3 { try await readToKeepAlive(probe) }
        return head.headers
    }

    private static func readToKeepAlive(_ probe: HTTPProbe) async throws {
        while let frame = try await probe.frame(),
            !frame.comments.contains(where: { $0.contains("keep-alive") })
        {}
    }

    /// The cookie, once the server has noticed that the stream is over.
    private static func noticedEnd(
        of headers: [String: String], _ server: RunningServer, _ key: [String: String] = [:],
        within limit: Duration = .seconds(10)
    ) async throws -> String {
        try await eventually(within: limit, "stream counted out") {
            let health = try await server.get("/api/health", headers: key).object()
            let streams = health["streams"] as? [String: Any]
            return streams?["open"] as? Int == 0
        }
        return headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
    }
}
