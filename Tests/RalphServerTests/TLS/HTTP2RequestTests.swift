import Foundation
import NIOCore
import NIOHTTP2
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HTTP2RequestTests {
    @Test func `a body that is too large is refused while it comes and the connection stays`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.maximumBodyBytes = 100_000
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let body = [UInt8](repeating: 0x20, count: 1_000_000)
            let answer = try await probe.request("/api/sessions", method: "POST", body: body).end()

            #expect(answer.status == 413)
            #expect(answer.hasEnded && (answer.reset == nil || answer.reset == .noError))
            #expect(try await probe.get("/health").status == 200)
        }
    }

    /// A client whose frames cannot be taken apart any more, and that goes on sending.
    @Test func `what comes behind a mistake of the connection is not kept`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let channel = try await TLSProbe.connect(port: server.port, protocols: ["h2"])
            func text(_ prefix: UInt8, _ value: String) -> [UInt8] {
                [prefix, UInt8(value.utf8.count)] + value.utf8
            }
            let head = [0x83, 0x87] + text(0x04, "/api/pairing/redeem") + text(0x01, "localhost")
            let frames: [UInt8] =
                Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
                // SETTINGS: nothing of an answer may be sent.
                + [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]
                // HEADERS of a request whose body is to come, and a CONTINUATION of nothing.
                + [0, 0, UInt8(head.count), 1, 4, 0, 0, 0, 1] + head + [0, 0, 0, 9, 0, 0, 0, 0, 1]
            try await channel.writeAndFlush(ByteBuffer(bytes: frames))
            let piece = ByteBuffer(repeating: 0, count: 1 << 20)
            var sent = 0
            while channel.isActive, sent < 64 {
                // Until the server has closed.
                try? await channel.writeAndFlush(piece)
                sent += 1
            }
            #expect(sent < 64)
            try? await channel.close()
        }
    }

    @Test func `one request too many is answered before its body has come`() async throws {
        let key = ("x-api-key", "0123456789abcdef")
        try await withServer({
            $0.tls = .selfSigned
            $0.apiKey = key.1
            $0.rates = RequestRates(perSecond: 1)
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            try await eventually(within: .seconds(20), "429") {
                let begun = try await probe.request(
                    "/api/sessions", method: "POST", headers: [key], body: [0x20], isBegun: true)
                defer { begun.cancel() }
                return (try? await begun.head(within: .milliseconds(500)).status) == 429
            }
            #expect(try await probe.get("/health").status == 200)
        }
    }

    /// Five of 8 MiB are counted, the fourth of which makes 32 MiB. What has no length counts as little as it may be.
    @Test(arguments: [
        (bytes: 2 << 10, length: "8388608" as String?, refused: true),
        (bytes: 1 << 9, length: "8388608", refused: false), (bytes: 2 << 10, length: nil, refused: false),
    ])
    func `many bodies of one connection count however short they are yet`(
        _ body: (bytes: Int, length: String?, refused: Bool)
    ) async throws {
        let key = ("x-api-key", "0123456789abcdef")
        try await withServer({
            $0.tls = .selfSigned
            $0.apiKey = key.1
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            func begin(_ length: String?) async throws -> HTTP2Exchange {
                try await probe.request(
                    "/api/sessions", method: "POST",
                    headers: [key] + (length.map { [("content-length", $0)] } ?? []),
                    body: [UInt8](repeating: 0x20, count: body.bytes), isBegun: true)
            }
            var begun: [HTTP2Exchange] = []
            for _ in 0..<6 { begun.append(try await begin(body.length)) }
            if body.refused {
                // Requests that come together are begun in any order.
                try await eventually(within: .seconds(20), "a refusal") {
                    begun.contains { $0.now.status == 429 }
                }
                begun.removeAll { $0.now.status == 429 }
                #expect(begun.count == 5)
            } else {
                #expect(try await probe.get("/health").status == 200)
            }
            #expect(begun.allSatisfy { $0.now.status == 0 && !$0.now.isClosed })

            for exchange in begun { exchange.cancel() }
            try await eventually(within: .seconds(10), "room for another") {
                try await probe.request(
                    "/api/sessions", method: "POST", headers: [key],
                    body: [UInt8](repeating: 0x20, count: 2 << 10)
                ).end().status == 400
            }
        }
    }

    /// Four bodies of 8 MiB are as much as one caller may have: a head goes beyond that, and the next one is refused.
    @Test func `a head of some size counts until its request is answered`() async throws {
        let key = ("x-api-key", "0123456789abcdef")
        try await withServer({
            $0.tls = .selfSigned
            $0.apiKey = key.1
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            func begin(_ more: (String, String), body: Int, isBegun: Bool = true) async throws
                -> HTTP2Exchange
            {
                try await probe.request(
                    "/api/sessions", method: "POST", headers: [key, more],
                    body: [UInt8](repeating: 0x20, count: body), isBegun: isBegun)
            }
            var begun: [HTTP2Exchange] = []
            for _ in 0..<4 {
                begun.append(try await begin(("content-length", "8388608"), body: 2 << 10))
            }
            let long = ("x-padding", String(repeating: "x", count: 2 << 10))
            let first = try await begin(long, body: 0)
            // Requests that come together are begun in any order.
            try await eventually(within: .seconds(20), "a refusal") {
                let second = try await begin(long, body: 0)
                defer { second.cancel() }
                return (try? await second.head(within: .milliseconds(500)).status) == 429
            }
            #expect(try await probe.get("/health").status == 200)
            #expect((begun + [first]).allSatisfy { $0.now.status == 0 && !$0.now.isClosed })

            first.cancel()
            try await eventually(within: .seconds(10), "room for another") {
                try await begin(long, body: 1, isBegun: false).end().status == 400
            }
        }
    }

    @Test(arguments: [
        (authority: "localhost" as String?, hosts: ["evil.example"], status: 400),
        (authority: "evil.example", hosts: ["localhost"], status: 400),
        (authority: "localhost", hosts: ["localhost", "localhost"], status: 400),
        (authority: "evil.example", hosts: [], status: 421),
        (authority: "localhost", hosts: ["LOCALHOST"], status: 200),
        (authority: nil, hosts: ["localhost"], status: 200),
        (authority: nil, hosts: ["evil.example"], status: 421),
        (authority: nil, hosts: [], status: 400),
        (authority: "", hosts: [], status: 400),
    ])
    func `a request names one host that is ours`(
        _ names: (authority: String?, hosts: [String], status: Int)
    ) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let answer = try await probe.request(
                "/api/sessions", headers: names.hosts.map { ("host", $0) }, authority: names.authority
            ).end()

            #expect(answer.status == names.status)
        }
    }

    /// Other lengths end the stream before a request is made of it.
    @Test(arguments: [["+2"], ["2", "2"], [""]])
    func `a length that may be read in two ways is refused`(_ lengths: [String]) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let answer = try await probe.request(
                "/api/sessions", method: "POST", headers: lengths.map { ("content-length", $0) },
                body: Array("{}".utf8)
            ).end()

            #expect(answer.status == 400 && answer.text.contains("the request is not valid"))
        }
    }

    @Test(arguments: [
        (" 1", 400), ("1 ", 400), ("1\t", 400), (" ", 400), ("", 200), ("1 \t1", 200),
    ])
    func `a value with a blank around it is malformed, and the connection stays`(
        _ value: String, _ status: Int
    ) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)

            #expect(try await probe.get("/health", headers: [("x-field", value)]).status == status)
            let body = [UInt8](repeating: 0x20, count: 100)
            let post = try await probe.request(
                "/api/sessions", method: "POST", headers: [("x-field", value)], body: body
            ).end()
            #expect(post.text.contains("the request is not valid HTTP") == (status == 400))
            #expect(try await probe.get("/health").status == 200)
        }
    }

    /// An accent makes one character with what is before it, where one part of a target ends for some and not for others.
    @Test(arguments: ["/api/sessions/0123abcd/stop?\u{301}", "/api/sessions/\u{301}0123abcd/stop", "/\u{E9}"])
    func `a target that is not ASCII is refused as without TLS, and the connection stays`(
        _ target: String
    ) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let answer = try await probe.request(target, method: "POST", body: []).end()

            #expect(answer.status == 400 && answer.text.contains("the request is not valid HTTP"))
            #expect(try await probe.get("/health").status == 200)
        }
        try await withServer { server in
            try await expectStatus(400, server.post(target))
        }
    }

    @Test func `too many fields are refused`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let fields = (0..<200).map { ("x-field-\($0)", "1") }

            let refused = try await probe.get("/health", headers: fields)
            #expect(refused.status == 431)
            #expect(refused.text.contains("The headers may have 128 fields."))
            #expect(try await probe.get("/health", headers: Array(fields.prefix(100))).status == 200)
        }
    }

    @Test func `a key and the open loopback count as they do without TLS`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.apiKey = "0123456789abcdef"
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)

            #expect(try await probe.get("/api/sessions").status == 401)
            let known = try await probe.get("/api/sessions", headers: [("x-api-key", "0123456789abcdef")])
            #expect(known.status == 200)
            #expect(known.headers["content-length"] == "2" && known.headers["connection"] == nil)
        }
        try await withServer({ $0.tls = .selfSigned }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let forwarded = try await probe.get("/api/sessions", headers: [("x-forwarded-for", "10.1.2.3")])

            #expect(try await probe.get("/api/sessions").status == 200)
            #expect(forwarded.status == 401)
        }
    }

    @Test func `a large answer arrives whole however slowly it is taken`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.closingSeconds = 5
        }) { server in
            try server.appendLarge("a", 1...30, bytes: 50_000)
            let (probe, other) = (
                try await HTTP2Probe(port: server.port), try await HTTP2Probe(port: server.port)
            )
            let id = try await other.session("a", events: 30)
            let path = "/api/sessions/\(id)/history?after_seq=0&limit=100"
            let whole = try await other.get(path)
            #expect(whole.status == 200 && whole.body.count > 1_000_000)
            let slow = try await probe.request(path, isReading: false)
            slow.take()
            #expect(try await slow.head().status == 200)
            // Longer than anybody who takes nothing is waited for.
            for _ in 0..<7 {
                slow.take()
                let before = try await uptime(other)
                try await eventually(within: .seconds(10), "a second") { try await uptime(other) > before }
            }

            #expect(slow.now.body.count < whole.body.count)
            try await slow.setReading(true)
            #expect(try await slow.end().body == whole.body)
            #expect(probe.isOpen)
        }
    }

    /// Whole seconds since the server began.
    private func uptime(_ probe: HTTP2Probe) async throws -> Int {
        (try await probe.get("/api/health").json() as? [String: Any])?["uptime_secs"] as? Int ?? 0
    }

    @Test func `requests beyond the limit of a connection wait for a place`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.concurrentStreams = 3
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            try server.append("a", 1...1)
            _ = try await probe.session("a", events: 1)
            var streams: [HTTP2Exchange] = []
            for _ in 0..<3 { streams.append(try await probe.request("/api/events?tail=all")) }
            for stream in streams { #expect(try await stream.head().status == 200) }
            let waiting = try await probe.request("/health")
            // What was asked for before it comes all the way meanwhile.
            try server.append("a", 2...2)
            for stream in streams {
                try await eventually(within: .seconds(10), "the second event") {
                    stream.now.eventIDs == [1, 2]
                }
            }
            #expect(waiting.now.status == 0)
            streams[0].cancel()

            #expect(try await waiting.end().status == 200)
        }
    }

    @Test func `a flood of resets ends its connection and no other`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let (flood, other) = (
                try await HTTP2Probe(port: server.port), try await HTTP2Probe(port: server.port)
            )
            for _ in 0..<400 where flood.isOpen {
                let exchange = try? await flood.request("/api/events")  // fails once the connection has ended
                exchange?.cancel()
            }

            try await eventually(within: .seconds(10), "end of the connection") { !flood.isOpen }

            #expect(try await other.get("/health").status == 200)
            // Of no request it is said that it was served after it was said that it was not.
            let last = flood.lastStreams
            #expect(last.first == 0 && last.allSatisfy { $0 == 0 }, "\(last)")
        }
    }

    /// Runs `body` with a connection that has been used and is idle after a second.
    private func withIdleProbe(_ body: @Sendable @escaping (HTTP2Probe) async throws -> Void) async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.idleSeconds = 1
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            #expect(try await probe.get("/health").status == 200)
            try await body(probe)
        }
    }

    @Test func `an idle connection is told to go and is closed`() async throws {
        try await withIdleProbe { probe in

            try await eventually(within: .seconds(10), "close") { !probe.isOpen }
        }
    }

    @Test(arguments: [("GET", nil), ("POST", Array("{}".utf8))] as [(String, [UInt8]?)])
    func `a request that crosses the farewell is refused and may be sent again`(
        _ crossing: (method: String, body: [UInt8]?)
    ) async throws {
        try await withIdleProbe { probe in
            try await probe.hold()
            try await eventually(within: .seconds(10), "the farewell") { try await probe.held() > 0 }
            let farewell = try await probe.held()
            let first = try await probe.request(
                "/api/sessions", method: crossing.method, body: crossing.body)
            try await eventually(within: .seconds(1), "an answer") { try await probe.held() > farewell }
            // The connection outlives the first.
            var others: [HTTP2Exchange] = []
            for _ in 0..<2 {
                let known = try await probe.held()
                others.append(try await probe.request("/health"))
                try await eventually(within: .seconds(1), "an answer") { try await probe.held() > known }
            }
            try await probe.release()

            for exchange in [first] + others { #expect(try await exchange.end().reset == .refusedStream) }
        }
    }

    @Test func `a connection with a stream is not idle`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.idleSeconds = 1
            $0.streams.keepAliveSeconds = 1
        }) { server in
            let probe = try await HTTP2Probe(port: server.port)
            let stream = try await probe.request("/api/events")
            try await eventually(within: .seconds(10), "keep-alives") {
                stream.now.text.components(separatedBy: "keep-alive").count > 4
            }

            #expect(probe.isOpen && !stream.now.isClosed)
        }
    }
}
