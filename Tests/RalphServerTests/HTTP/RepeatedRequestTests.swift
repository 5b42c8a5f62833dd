import RalphServer
import RalphTestSupport
import Testing

/// Requests that come again byte for byte, which are not taken apart again.
@Suite(.timeLimit(.minutes(1)))
struct RepeatedRequestTests {
    @Test func `a repeated request is answered by what is true then`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions")
            #expect(try await probe.response().text == "[]")
            let id = try await server.session("a", lines: 3)

            try await eventually(within: .seconds(5), "the session in the list") {
                try await probe.request("/api/sessions")
                let response = try await probe.response()
                #expect(response.headers["content-type"] == "application/json")
                #expect(response.headers["cache-control"] == "no-store")
                return response.text.contains(id)
            }
        }
    }

    @Test func `repeated requests keep their order among others, pipelined ones too`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            let probing = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for _ in 0..<3 {
                try await probe.send(probing)
                #expect(try await probe.response().text == "OK")
            }
            let report = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await probe.send(report)
            try await probe.send(probing)
            try await probe.send(probing + report)

            #expect(try await probe.response().headers["content-type"] == "application/json")
            #expect(try await probe.response().text == "OK")
            #expect(try await probe.response().text == "OK")
            #expect(try await probe.response().headers["content-type"] == "application/json")
        }
    }

    @Test func `the same bytes as a body are no request`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            let probing = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await probe.send(probing)
            #expect(try await probe.response().text == "OK")
            try await probe.send(
                "POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(probing.utf8.count)\r\n\r\n"
            )
            try await probe.send(probing)

            #expect(try await probe.response().status == 405)
            try await probe.send(probing)
            #expect(try await probe.response().text == "OK")
        }
    }

    @Test func `the same bytes inside a head are a part of it`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            let probing = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await probe.send(probing)
            #expect(try await probe.response().text == "OK")
            try await probe.send("GET /nowhere HTTP/1.1\r\nX-Part: ")
            try await probe.send(probing)

            #expect(try await probe.response().status == 404)
        }
    }

    @Test func `a key is asked for each time, and a connection that is to end does`() async throws {
        try await withServer({ $0.apiKey = "secret" }) { server in
            let probe = try server.probe()
            for _ in 0..<2 {
                try await probe.request("/api/sessions", headers: ["X-Api-Key": "secret"])
                #expect(try await probe.response().status == 200)
            }
            try await probe.request("/health", headers: ["Connection": "close"])
            #expect(try await probe.response().text == "OK")
            try await probe.waitForClose()
        }
    }
}
