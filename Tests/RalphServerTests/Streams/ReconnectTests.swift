import Foundation
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
        probe.close()
        try await eventually(within: .seconds(10), "stream counted out") {
            let streams = try await server.get("/api/health").object()["streams"] as? [String: Any]
            return streams?["open"] as? Int == 0
        }
        return head.headers["set-cookie"]?.split(separator: ";").first.map(String.init) ?? ""
    }
}
