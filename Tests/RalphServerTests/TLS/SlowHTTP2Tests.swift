import Foundation
import NIOCore
import RalphServer
import RalphTestSupport
import Synchronization
import Testing

/// A client that gives leave to send everything at once, and takes little of it at a time.
@Suite(.timeLimit(.minutes(1)))
struct SlowHTTP2Tests {
    /// A stream, and an answer.
    @Test(arguments: ["events.ndjson?tail=all&follow=false", "export"])
    func `a client that takes less than the kernel waits for gets all of it`(_ path: String) async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.streams.stallSeconds = 5
            $0.http.closingSeconds = 5
        }) { server in
            try server.appendLarge("a", 1...150, bytes: 20_000)
            let probe = try await HTTP2Probe(port: server.port)
            let id = try await probe.session("a", events: 150)
            let frames = Frames()
            let channel = try await Self.connect(server.port, frames)
            try await channel.writeAndFlush(Self.request("/api/sessions/\(id)/\(path)"))
            try await SendQueue.waitUntilStuck(port: server.port)
            // Longer than nothing is waited for.
            for _ in 0..<9 {
                channel.read()
                let before = try await uptime(probe)
                try await eventually(within: .seconds(10), "a second") { try await uptime(probe) > before }
            }
            try await channel.setOption(.autoRead, value: true).get()

            try await eventually(within: .seconds(30), "the end") {
                frames.seen.withLock { $0.hasEnded || $0.isReset } || !channel.isActive
            }
            #expect(frames.seen.withLock { $0.hasEnded })
            try? await channel.close()  // it may be closed
        }
    }

    /// Whole seconds since the server began.
    private func uptime(_ probe: HTTP2Probe) async throws -> Int {
        (try await probe.get("/api/health").json() as? [String: Any])?["uptime_secs"] as? Int ?? 0
    }

    /// A connection for which the kernel holds little here, and that reads when it is told to.
    private static func connect(_ port: Int, _ frames: Frames) async throws -> any Channel {
        let channel = try await TLSProbe.connect(port: port, protocols: ["h2"]) { channel in
            try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: 16 * 1024)
            try channel.syncOptions?.setOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 * 1024))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.pipeline.syncOperations.addHandler(frames)
        }
        try await channel.setOption(.autoRead, value: false).get()
        return channel
    }

    private static func request(_ path: String) -> ByteBuffer {
        func text(_ prefix: UInt8, _ value: String) -> [UInt8] {
            [prefix, UInt8(value.utf8.count)] + value.utf8
        }
        let head = [0x82, 0x87] + text(0x04, path) + text(0x01, "localhost")
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        // SETTINGS and WINDOW_UPDATE: of a stream, and of the connection, all that there is may be sent.
        bytes += [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7F, 0xFF, 0xFF, 0xFF]
        bytes += [0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7F, 0, 0, 0]
        // HEADERS of a request without a body.
        bytes += [0, 0, UInt8(head.count), 1, 5, 0, 0, 0, 1] + head
        return ByteBuffer(bytes: bytes)
    }

    /// Looks at the frames of a connection with one stream.
    private final class Frames: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        struct Seen {
            var hasEnded = false
            var isReset = false
            fileprivate var rest = ByteBuffer()
        }

        let seen = Mutex(Seen())

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            seen.withLock { seen in
                seen.rest.writeImmutableBuffer(bytes)
                // Three bytes of length, one of type, one of flags (RFC 9113, 4.1).
                while let head: UInt64 = seen.rest.getInteger(at: seen.rest.readerIndex),
                    seen.rest.readSlice(length: 9 + Int(head >> 40)) != nil
                {
                    let (type, flags) = (head >> 32 & 0xFF, head >> 24 & 0xFF)
                    if type == 0, flags & 1 == 1 { seen.hasEnded = true }
                    if type == 3 { seen.isReset = true }
                }
            }
        }
    }
}
