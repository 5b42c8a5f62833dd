import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTPConnectionTests {
    @Test func `an unknown path is a 404 that names it`() async throws {
        try await withServer { server in
            let response = try await server.get("/api/nothing/here")

            #expect(response.status == 404)
            #expect(try response.object()["error"] as? String == "not_found: /api/nothing/here")
            #expect(response.headers["content-type"] == "application/json")
        }
    }

    @Test func `a wrong method is a 405 that lists the right ones`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/health", method: "POST")
            let response = try await probe.response()

            #expect(response.status == 405)
            #expect(response.headers["allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func `HEAD answers with the headers alone`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/health", method: "HEAD")
            let response = try await probe.response(hasBody: false)

            #expect(response.status == 200)
            #expect(response.headers["content-length"] == "2")
            try await probe.request("/health")
            #expect(try await probe.response().text == "OK")
        }
    }

    @Test(arguments: ["/api/events", "/api/events.ndjson"])
    func `HEAD of a stream is its head and nothing behind it`(_ path: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request(path, method: "HEAD")
            let (status, headers) = try await probe.head()

            #expect(status == 200)
            #expect(headers["connection"] == "close")
            #expect(headers["content-type"] != nil)
            try await probe.waitForClose()
            #expect(probe.unread.isEmpty)
        }
    }

    @Test(arguments: [
        "", "Host: localhost\r\nHost: localhost\r\n", "Host: localhost\r\nHost: example.org\r\n",
    ])
    func `a request without exactly one host is a 400`(_ hosts: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send("GET /api/sessions HTTP/1.1\r\n\(hosts)\r\n")
            #expect(try await probe.response().status == 400)
            try await probe.waitForClose()
        }
    }

    @Test func `HTTP 1_0 is answered, and needs a host too`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send("GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            #expect(try await probe.response().text == "OK")

            let nameless = try server.probe()
            try await nameless.send("GET /health HTTP/1.0\r\n\r\n")
            #expect(try await nameless.response().status == 400)
        }
    }

    @Test(arguments: ["TRACE", "PROPFIND", "PATCH", "PURGE"])
    func `a method that no path has is a 405`(_ method: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions", method: method)
            let response = try await probe.response()
            #expect(response.status == 405)
            #expect(response.headers["allow"] == "GET, HEAD, POST, OPTIONS")
        }
    }

    @Test func `OPTIONS lists what a path answers`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions", method: "OPTIONS")

            #expect(try await probe.response().headers["allow"] == "GET, HEAD, POST, OPTIONS")
        }
    }

    @Test func `headers of a mebibyte are a 431`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(
                "GET / HTTP/1.1\r\nX-Long: " + String(repeating: "a", count: 1 << 20) + "\r\n\r\n")
            let response = try await probe.response()

            #expect(response.status == 431)
            #expect(try response.object()["error"] as? String == "headers_too_large")
        }
    }

    @Test func `too many header fields are a 431 that names how many there may be`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            let fields = String(repeating: "X-F: y\r\n", count: 200)
            try await probe.send("GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            let response = try await probe.response()

            #expect(response.status == 431)
            #expect(
                try response.object()["details"] as? String
                    == "The request line and headers may have 65536 bytes together, and 128 fields.")
        }
    }

    @Test func `a body above the limit is a 413 before it is sent`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions", method: "POST", headers: ["Content-Length": "9000000"])
            let response = try await probe.response()

            #expect(response.status == 413)
            try await probe.waitForClose()
        }
    }

    @Test func `a chunked body is counted as it comes`() async throws {
        try await withServer({ $0.http.maximumBodyBytes = 1000 }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST", headers: ["Transfer-Encoding": "chunked"])
            try await probe.send("7d0\r\n" + String(repeating: "x", count: 2000) + "\r\n0\r\n\r\n")

            #expect(try await probe.response().status == 413)
        }
    }

    @Test(arguments: [
        ("GET /health", "Content-Length: 5\r\n\r\nhello", 200),
        ("GET /health", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200),
        ("DELETE /api/sessions/0123456789abcdef", "Content-Length: 5\r\n\r\nhello", 404),
        (
            "DELETE /api/sessions/0123456789abcdef",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 404
        ),
    ])
    func `a body where none belongs is read and ignored`(_ request: String, _ body: String, _ status: Int)
        async throws
    {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send("\(request) HTTP/1.1\r\nHost: localhost\r\n\(body)")
            #expect(try await probe.response().status == status)
            try await probe.request("/health")
            #expect(try await probe.response().status == 200)
        }
    }

    @Test func `a head that drips is a 408`() async throws {
        try await withServer({ $0.http.headSeconds = 1 }) { server in
            let probe = try server.probe()
            try await probe.send("GET /health HTTP/1.1\r\nHost: local")

            #expect(try await probe.response().status == 408)
            try await probe.waitForClose()
        }
    }

    @Test(arguments: [
        "\0\0\0\0\r\nHost: localhost\r\n\r\n", "GET\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "FOO / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /é HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
    ])
    func `what is not HTTP is a 400 and the end of the connection`(_ bytes: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(bytes)

            #expect(try await probe.response().status == 400)
            try await probe.waitForClose()
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/health")
            try await probe.request("/health")

            #expect(try await probe.response().headers["content-type"] == "application/json")
            #expect(try await probe.response().text == "OK")
        }
    }

    @Test func `a client that closes its sending half still gets its answer`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request("/api/sessions")
            probe.closeSending()

            #expect(try await probe.response().text == "[]")
        }
    }

    @Test(arguments: ["/api/health", "/api/nothing", "/api/sessions"])
    func `a connection whose client has closed its sending half ends with its answer`(
        _ path: String
    ) async throws {
        try await withServer { server in
            // The end has to come before the answer is made, which it may miss by microseconds.
            for _ in 0..<20 {
                let probe = try server.probe()
                try await probe.request(path)
                probe.closeSending()

                #expect(try await probe.response().headers["content-type"] == "application/json")
                try await probe.waitForClose()
                #expect(probe.unread.isEmpty)
            }
        }
    }

    @Test func `pipelined requests are answered to a client that closes its sending half behind them`()
        async throws
    {
        try await withServer { server in
            let probing = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
            // As above.
            for _ in 0..<20 {
                let probe = try server.probe()
                try await probe.send(
                    "GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n" + probing + probing)
                probe.closeSending()

                #expect(try await probe.response().headers["content-type"] == "application/json")
                #expect(try await probe.response().text == "OK")
                #expect(try await probe.response().text == "OK")
                try await probe.waitForClose()
                #expect(probe.unread.isEmpty)
            }
        }
    }

    @Test(arguments: [
        ("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n", false),
        ("Upgrade: websocket\r\nConnection: keep-alive, upgrade\r\n", false),
        ("Upgrade: x\r\nProxy-Connection: upgrade\r\n", false),
        ("Upgrade: h2c\r\n", true), ("Connection: Upgrade\r\n", true),
    ])
    func `a connection on which another protocol was asked for ends with the answer`(
        _ fields: String, _ staysOpen: Bool
    ) async throws {
        try await withServer { server in
            for path in ["/livez", "/api/nothing"] {
                let probe = try server.probe()
                try await probe.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
                let response = try await probe.response()
                #expect(response.status == (path == "/livez" ? 200 : 404))
                #expect((response.headers["connection"] == "close") == !staysOpen)
                guard staysOpen else {
                    try await probe.waitForClose()
                    continue
                }
                try await probe.request("/api/health")
                #expect(try await probe.response().status == 200)
            }
        }
    }

    @Test func `blanks behind a value are no part of it`() async throws {
        try await withServer { server in
            let id = try await server.session("a", lines: 3)
            let probe = try server.probe()
            try await probe.send("GET /api/sessions HTTP/1.1\r\nX-Empty: \r\nHost: localhost \t\r\n\r\n")
            #expect(try await probe.response().status == 200)

            try await probe.send(
                "GET /api/sessions/\(id)/events?follow=false HTTP/1.1\r\nHost: localhost\r\n"
                    + "Last-Event-ID: 2\t \r\n\r\n")
            #expect(try await probe.head().status == 200)
            #expect(try await probe.eventsToEnd().compactMap(\.id) == ["3"])
        }
    }

    @Test func `an expected 100 is sent before the body`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/health", method: "POST", headers: ["Content-Length": "2", "Expect": "100-continue"])
            #expect(try await probe.head().status == 100)
            try await probe.send("{}")
            #expect(try await probe.response().status == 405)
        }
    }

    @Test func `doubled slashes are one`() async throws {
        try await withServer { server in
            let response = try await server.get("//api//sessions")
            #expect(response.text == "[]")
        }
    }

    @Test func `connections above the limit are told so`() async throws {
        try await withServer({ $0.http.maximumConnections = 2 }) { server in
            let kept = try [server.probe(), server.probe()]
            for probe in kept {
                try await probe.request("/health")
                #expect(try await probe.response().status == 200)
            }

            let refused = try server.probe()
            #expect(try await refused.response().status == 503)
            try await refused.waitForClose()
            try await kept[0].request("/api/health")
            let streams = try await kept[0].response().object()["streams"] as? [String: Any]
            #expect(streams?["refused_connections"] as? Int == 1)
            try await kept[1].request("/metrics")
            let text = try ExpositionReader(try await kept[1].response().text)
            #expect(text.families["ralph_mobile_connections_refused_total"]?.samples.first?.value == 1)
        }
    }

    @Test func `who is refused while it sends is told so, and its connection ends without a reset`()
        async throws
    {
        try await withServer({ $0.http.maximumConnections = 1 }) { server in
            let kept = try server.probe()
            try await kept.request("/health")
            #expect(try await kept.response().status == 200)

            for _ in 1...65 {
                let refused = try server.probe()
                try await refused.request("/health")
                #expect(try await refused.response().status == 503)
                try await refused.send("more")
                try await refused.waitForClose()
                #expect(!refused.isReset)
            }
        }
    }

    @Test(arguments: ["evil.example", "evil.example:8080", "127.0.0.1.nip.io"])
    func `a foreign host name is misdirected`(_ host: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send("GET /api/sessions HTTP/1.1\r\nHost: \(host)\r\n\r\n")

            #expect(try await probe.response().status == 421)
        }
    }
}
