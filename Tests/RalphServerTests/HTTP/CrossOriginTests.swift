import RalphTestSupport
import Testing

@testable import RalphServer

@Suite(.timeLimit(.minutes(1)))
struct CrossOriginTests {
    private static let page = "http://localhost:5173"
    private static let key = TestSecrets.key

    @Test(arguments: [
        "/api/sessions", "/health", "/livez", "/api/nothing", "/api/sessions/0123456789abcdef/events",
        "/docs",
        "/metrics",
    ])
    func `a page of this machine may read every answer`(_ target: String) async throws {
        try await withServer { server in
            // Twice, so that the list is an answer from memory too.
            _ = try await server.get(target)
            let response = try await server.get(target, headers: ["Origin": Self.page])

            #expect(response.headers["access-control-allow-origin"] == Self.page)
            #expect(response.headers["access-control-expose-headers"]?.contains("Retry-After") == true)
            #expect(response.headers["access-control-allow-credentials"] == nil)
            #expect(response.headers["vary"] == "Origin")
        }
    }

    @Test(arguments: [
        "null", "https://evil.example", "http://localhost.evil.example", "*", "http://localhost/",
    ])
    func `no other page may`(_ origin: String) async throws {
        try await withServer({ $0.allowedOrigins = ["https://good.example"] }) { server in
            let response = try await server.get("/api/sessions", headers: ["Origin": origin])

            #expect(response.status == 200)
            #expect(response.headers["vary"] == "Origin")
            #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control-") })
        }
    }

    @Test func `without an origin there is nothing but the word that it matters`() async throws {
        try await withServer { server in
            let response = try await server.get("/api/sessions")

            #expect(response.headers["vary"] == "Origin")
            #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control-") })
        }
    }

    @Test func `two origins are none`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(
                "GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nOrigin: \(Self.page)\r\nOrigin: null\r\n\r\n"
            )

            #expect(try await probe.response().headers["access-control-allow-origin"] == nil)
        }
    }

    @Test func `streams say it as well`() async throws {
        try await withServer({ $0.allowedOrigins = ["good.example"] }) { server in
            let probe = try server.probe()
            try await probe.request("/api/events", headers: ["Origin": "https://good.example"])
            let head = try await probe.head()

            #expect(head.status == 200)
            #expect(head.headers["access-control-allow-origin"] == "https://good.example")
            #expect(head.headers["vary"] == "Origin")
        }
    }

    @Test func `a preflight is answered without a key`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions/0123456789abcdef/steer", method: "OPTIONS",
                headers: [
                    "Origin": Self.page, "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "x-api-key",
                ])
            let response = try await probe.response()

            #expect(response.status == 200)
            #expect(response.headers["access-control-allow-origin"] == Self.page)
            #expect(response.headers["access-control-allow-methods"] == "POST, OPTIONS")
            #expect(
                response.headers["access-control-allow-headers"]?.lowercased().contains("x-api-key") == true)
            #expect(response.headers["access-control-max-age"] == "600")
        }
    }

    @Test func `a preflight of another page learns nothing that lets it on`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "OPTIONS",
                headers: ["Origin": "https://evil.example", "Access-Control-Request-Method": "POST"])
            let response = try await probe.response()

            #expect(response.headers.keys.allSatisfy { !$0.hasPrefix("access-control-") })
        }
    }

    @Test func `OPTIONS that is no preflight needs the key, and an answer of 401 can be read`() async throws {
        try await withServer({ $0.apiKey = Self.key }) { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions", method: "OPTIONS", headers: ["Origin": Self.page])
            let response = try await probe.response()

            #expect(response.status == 401)
            #expect(response.headers["access-control-allow-origin"] == Self.page)
        }
    }

    @Test(arguments: [("https://good.example", 404), ("https://evil.example", 403), ("null", 403)])
    func `commands come from pages that are allowed`(_ origin: String, _ status: Int) async throws {
        try await withServer({ $0.allowedOrigins = ["https://good.example"] }) { server in
            let response = try await server.post(
                "/api/sessions/0123456789abcdef/pause", "", headers: ["Origin": origin])

            #expect(response.status == status)
        }
    }
}
