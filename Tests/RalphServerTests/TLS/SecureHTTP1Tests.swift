import Foundation
import NIOCore
import RalphServer
import RalphTestSupport
import Synchronization
import Testing

/// HTTP/1.1 over TLS, with a client that shares nothing with the server.
@Suite(.timeLimit(.minutes(1)), .enabled(if: Program("curl") != nil, "curl is not installed"))
struct SecureHTTP1Tests {
    @Test func `a stream over TLS and HTTP1 is the same as without`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            try server.append("a", 1...300)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 300)
            let path = "/api/sessions/\(id)/events?tail=all&follow=false"
            let plain = try await curl(server, ["--http1.1"], path)
            let framed = try await curl(server, ["--http2"], path)

            #expect(plain == framed)
            #expect(plain.contains(#""payload":"n300""#))
        }
    }

    @Test func `requests follow each other on one connection`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let text = try await curl(
                server, ["--http1.1", "-w", "%{num_connects} "], "/health", "/health", "/api/sessions")

            #expect(text == "OK1 OK0 []0 ")
        }
    }

    @Test func `as many requests as one record holds are answered`() async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let received = Received()
            let channel = try await TLSProbe.connect(port: server.port, protocols: ["http/1.1"]) { channel in
                try channel.pipeline.syncOperations.addHandler(received)
            }
            // The others are there when the first one, which is not answered at once, is.
            let requests =
                "GET /readyz HTTP/1.1\r\nHost:localhost\r\n\r\n"
                + String(repeating: "GET /livez HTTP/1.1\r\nHost:localhost\r\n\r\n", count: 390)
            try await channel.writeAndFlush(ByteBuffer(string: requests))

            try await eventually(within: .seconds(10), "the answers") {
                received.text.withLock { $0.components(separatedBy: "HTTP/1.1 ").count } == 392
            }
            try await channel.close()
        }
    }

    @Test func `a refusal is read by who still sends a second later`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.discardSeconds = 30
        }) { server in
            let received = Received()
            let channel = try await TLSProbe.connect(port: server.port, protocols: ["http/1.1"]) { channel in
                // It goes on sending behind the server's end.
                try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
                try channel.pipeline.syncOperations.addHandler(received)
            }
            try await channel.setOption(.autoRead, value: false).get()
            let head = "POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: head))
            let probe = try await HTTP2Probe(port: server.port)
            func uptime() async throws -> Int {
                (try await probe.get("/api/health").json() as? [String: Any])?["uptime_secs"] as? Int ?? 0
            }
            let start = try await uptime()
            try await eventually(within: .seconds(10), "a second") { try await uptime() > start + 1 }
            for _ in 0..<8 {
                try await channel.writeAndFlush(ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20))
            }
            try await channel.setOption(.autoRead, value: true).get()

            try await eventually(within: .seconds(10), "the answer") {
                received.text.withLock { $0.hasPrefix("HTTP/1.1 413 ") }
            }
            try await channel.close()
        }
    }

    @Test(arguments: ["1.0", "1.1"])
    func `a client that takes nothing is cut once, and meets an error`(_ version: String) async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.streams.stallSeconds = 2
        }) { server in
            try server.appendLarge("a", 1...80, bytes: 200_000)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 80)
            let (channel, ending) = try await TLSProbe.connect(port: server.port)
            try await channel.setOption(.autoRead, value: false).get()
            let path = "/api/sessions/\(id)/events?tail=all&follow=false"
            try await channel.writeAndFlush(
                ByteBuffer(string: "GET \(path) HTTP/\(version)\r\nHost: localhost\r\n\r\n"))
            var stalled = 0
            try await eventually(within: .seconds(20), "the cut") {
                let health = try await probe.get("/api/health").json() as? [String: Any]
                let streams = health?["streams"] as? [String: Any]
                stalled = streams?["stalled"] as? Int ?? 0
                return stalled > 0 && streams?["open"] as? Int == 0
            }
            #expect(stalled == 1)

            // It may have met the end already.
            try? await channel.setOption(.autoRead, value: true).get()
            try await eventually(within: .seconds(10), "the end") { !channel.isActive }
            #expect(ending.hasFailed.withLock { $0 })
        }
    }

    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let text = Mutex("")

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            text.withLock { $0 += String(buffer: bytes) }
        }
    }

    private func curl(_ server: RunningServer, _ options: [String], _ paths: String...) async throws -> String
    {
        let output = try server.root.write("curl-\(UUID().uuidString)", "")
        let process = try #require(Program("curl")).start(
            ["-sS", "--max-time", "20", "--cacert", server.root.path + "/.state/tls-cert.pem"] + options
                + paths.map { "https://localhost:\(server.port)\($0)" },
            output: FileHandle(forWritingAtPath: output))
        try await eventually(within: .seconds(20), "end of curl") { !process.isRunning }
        #expect(process.terminationStatus == 0)
        return try String(contentsOfFile: output, encoding: .utf8)
    }
}
