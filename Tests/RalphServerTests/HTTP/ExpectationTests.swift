import RalphServer
import RalphTestSupport
import Testing

/// Clients that ask first whether they may send their body.
@Suite(.timeLimit(.minutes(1)))
struct ExpectationTests {
    @Test func `asking twice is answered once`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(
                "POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                    + "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n{}")
            #expect(try await probe.head().status == 100)
            #expect(try await probe.response().status == 405)
        }
    }

    @Test(arguments: [
        "POST /api/health HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}",
        "POST /api/health HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n\r\n",
        "POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: wonders\r\n\r\n{}",
    ])
    func `no 100 goes to whom it tells nothing`(_ bytes: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(bytes)
            #expect(try await probe.head().status == 405)
        }
    }

    @Test func `who may not is told so instead of being asked for the body`() async throws {
        try await withServer({ $0.apiKey = "0123456789abcdef" }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST",
                headers: ["Content-Length": "100", "Expect": "100-continue"])
            #expect(try await probe.response().status == 401)
            try await probe.waitForClose()
        }
    }

    @Test func `a body that never comes after a 100 is a 408`() async throws {
        try await withServer({ $0.http.bodySeconds = 1 }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST",
                headers: ["Content-Length": "100", "Expect": "100-continue"])
            #expect(try await probe.head().status == 100)
            #expect(try await probe.response().status == 408)
        }
    }
}
