import Foundation
import RalphServer
import RalphTestSupport
import Testing

/// Requests that two parties could read differently, so that one lets through what the other acts on. Each ends
/// its connection, and nothing behind it counts.
@Suite(.timeLimit(.minutes(1)))
struct SmugglingTests {
    /// A request, and where its body or the next request may begin for some.
    struct Doubtful: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: String
        var status = 400
        var testDescription: String { name }
    }

    private static let host = "Host: localhost\r\n"
    private static let hidden = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private static func post(_ name: String, _ headers: String, _ body: String = "0\r\n\r\n") -> Doubtful {
        Doubtful(name: name, bytes: "POST /api/sessions HTTP/1.1\r\n\(host)\(headers)\r\n\(body)")
    }

    private static func get(_ name: String, _ bytes: String) -> Doubtful {
        Doubtful(name: name, bytes: bytes)
    }

    static let lengths = [
        post("both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        post("both lengths, the other first", "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
        post("two lengths", "Content-Length: 0\r\nContent-Length: 41\r\n", ""),
        post("one length twice", "Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
        post("a list of lengths", "Content-Length: 2, 2\r\n", "{}"),
        post("a length with a sign", "Content-Length: +2\r\n", "{}"),
        post("a length in hexadecimal", "Content-Length: 0x2\r\n", "{}"),
        post("no length", "Content-Length: \r\n", "{}"),
        post("a length beyond 64 bits", "Content-Length: 18446744073709551618\r\n", "{}"),
    ]

    static let encodings = [
        post("chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        post("chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n"),
        post("xchunked", "Transfer-Encoding: xchunked\r\n"),
        post("chunked, identity", "Transfer-Encoding: chunked, identity\r\n"),
        post("identity", "Transfer-Encoding: identity\r\n"),
        post("gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n"),
        post("quoted", "Transfer-Encoding: \"chunked\"\r\n"),
        post("a blank behind it", "Transfer-Encoding: chunked \r\n"),
        post("a vertical tab", "Transfer-Encoding: \u{0B}chunked\r\n"),
        get(
            "chunked in HTTP/1.0",
            "POST /api/sessions HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ]

    static let chunks = [
        ("larger than 64 bits", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        ("negative", "-2\r\n{}\r\n0\r\n\r\n"),
        ("0x", "0x2\r\n{}\r\n0\r\n\r\n"), ("a space", "2 \r\n{}\r\n0\r\n\r\n"),
        ("a bare LF", "2\n{}\r\n0\r\n\r\n"), ("a bare LF behind an extension", "2;a\n{}\r\n0\r\n\r\n"),
        ("no line end", "2\r\n{}0\r\n\r\n"), ("bare LFs", "2\n{}\n0\n\n"),
        ("a length in the trailer", "0\r\nContent-Length: 5\r\n\r\n"),
    ].map { post("chunk: " + $0.0, "Transfer-Encoding: chunked\r\n", $0.1) }

    static let lines = [
        get("a folded header", "GET /livez HTTP/1.1\r\n\(host)X-A: b\r\n c\r\n\r\n"),
        get("a folded first header", "GET /livez HTTP/1.1\r\n Host: localhost\r\n\r\n"),
        post("a folded encoding", "Transfer-Encoding:\r\n chunked\r\n"),
        get("bare LFs", "GET /livez HTTP/1.1\nHost: localhost\n\n"),
        get("a bare LF behind the request line", "GET /livez HTTP/1.1\nHost: localhost\r\n\r\n"),
        get("a bare LF behind a header", "GET /livez HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n"),
        get("a bare LF at the end", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\n"),
        get("a space before the colon", "GET /livez HTTP/1.1\r\nHost : localhost\r\n\r\n"),
        get("no name", "GET /livez HTTP/1.1\r\n\(host): x\r\n\r\n"),
        get("a CR in a value", "GET /livez HTTP/1.1\r\n\(host)X: a\rb\r\n\r\n"),
        get("a NUL in a value", "GET /livez HTTP/1.1\r\n\(host)X: a\0b\r\n\r\n"),
        get("an escape in a value", "GET /livez HTTP/1.1\r\n\(host)X: \u{1B}[2J\r\n\r\n"),
    ]

    static let targets = [
        get("an absolute target", "GET http://evil/livez HTTP/1.1\r\n\(host)\r\n"),
        get("our own absolute target", "GET http://localhost/livez HTTP/1.1\r\n\(host)\r\n"),
        get("CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n\(host)\r\n"),
        get("OPTIONS *", "OPTIONS * HTTP/1.1\r\n\(host)\r\n"),
        get("no slash", "GET livez HTTP/1.1\r\n\(host)\r\n"),
        get("HTTP/0.9", "GET /livez\r\n\r\n"), get("HTTP/0.9, said", "GET /livez HTTP/0.9\r\n\(host)\r\n"),
        get("HTTP/2.0", "GET /livez HTTP/2.0\r\n\(host)\r\n"),
        get("HTTP/1.2", "GET /livez HTTP/1.2\r\n\(host)\r\n"),
        get("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        get("HTTP/1.0 without a host", "GET /livez HTTP/1.0\r\n\r\n"),
        get("a method in lower case", "get /livez HTTP/1.1\r\n\(host)\r\n"),
        get("a control character in the method", "G\u{01}T /livez HTTP/1.1\r\n\(host)\r\n"),
        get("an unknown method", "FROBNICATE /livez HTTP/1.1\r\n\(host)\r\n"),
        get("tabs", "GET\t/livez\tHTTP/1.1\r\n\(host)\r\n"),
        get("a fourth word", "GET /livez HTTP/1.1 x\r\n\(host)\r\n"),
        Doubtful(
            name: "another host", bytes: "GET /livez HTTP/1.1\r\nHost: evil.example\r\n\r\n", status: 421),
        Doubtful(
            name: "two hosts in one", bytes: "GET /livez HTTP/1.1\r\nHost: localhost, evil\r\n\r\n",
            status: 421),
        Doubtful(
            name: "a target of 9 KiB",
            bytes: "GET /\(String(repeating: "a", count: 9 * 1024)) HTTP/1.1\r\n\(host)\r\n", status: 414),
    ]

    @Test(arguments: lengths + encodings + chunks + lines + targets)
    func `it is refused, and what follows is no request`(_ doubtful: Doubtful) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send(doubtful.bytes + Self.hidden)

            #expect(try await probe.response().status == doubtful.status)
            try await probe.waitForClose()
            #expect(probe.unread.isEmpty)
        }
    }

    @Test func `a steering hidden behind any of them reaches nobody`() async throws {
        try await withControl { server, _ in
            let id = try await server.start()
            let body = #"{"message":"hidden"}"#
            let steer =
                "POST /api/sessions/\(id)/steer HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            for doubtful in Self.lengths + Self.encodings + Self.chunks + Self.lines + Self.targets {
                let probe = try server.probe()
                try await probe.send(doubtful.bytes + steer)
                try await probe.waitForClose()
            }
            #expect(try await server.commands(id).filter { $0.hasPrefix("steer") }.isEmpty)
            #expect(try await server.topics(id).filter { $0 == "human.guidance" }.isEmpty)
            _ = try await server.send("DELETE", "/api/sessions/\(id)?force=1")
        }
    }

    @Test func `a target of 8 KiB is answered`() async throws {
        try await withServer { server in
            let path = "/" + String(repeating: "a", count: 8 * 1024 - 1)
            let status = try await server.get(path).status
            #expect(status == 404)
        }
    }

    @Test(arguments: [
        String(repeating: "1;" + String(repeating: "e", count: 1000) + "\r\n \r\n", count: 3000),
        "2;" + String(repeating: "e", count: 3 << 20),
    ])
    func `extensions of chunks are bounded`(_ chunks: String) async throws {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST", headers: ["Transfer-Encoding": "chunked"])
            // The server may close before all of it is sent, which is its right.
            try? await probe.send(chunks)

            #expect(try await probe.response().status == 413)
        }
    }

    @Test func `a trailer has the bounds of a head`() async throws {
        try await withServer { server in
            let probe = try server.probe()
            let head = "POST /api/sessions HTTP/1.1\r\n\(Self.host)Transfer-Encoding: chunked\r\n\r\n0\r\n"
            // The server may close before all of it is sent, which is its right.
            try? await probe.send(head + String(repeating: "X-T: y\r\n", count: 20_000) + "\r\n")

            #expect(try await probe.response().status == 431)
        }
    }

    @Test func `a chunk that never comes is a 408`() async throws {
        try await withServer({ $0.http.bodySeconds = 1 }) { server in
            let probe = try server.probe()
            try await probe.request(
                "/api/sessions", method: "POST", headers: ["Transfer-Encoding": "chunked"])
            try await probe.send("ffffffffffffffff\r\n{}")

            #expect(try await probe.response().status == 408)
            try await probe.waitForClose()
        }
    }
}
