import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import RalphTestSupport
import Synchronization

/// An HTTP/2 client on one TLS connection to this machine, which shows frames as they came.
final class HTTP2Probe: Sendable {
    private let channel: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer
    private let port: Int

    /// Connects and shakes hands.
    init(port: Int) async throws {
        self.port = port
        let channel = try await TLSProbe.connect(port: port, protocols: ["h2"]) { channel in
            let handler = NIOHTTP2Handler(mode: .client, eventLoop: channel.eventLoop) { stream in
                stream.close()  // the server pushes nothing
            }
            try channel.pipeline.syncOperations.addHandler(handler)
        }
        self.channel = channel
        multiplexer = try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: NIOHTTP2Handler.self).syncMultiplexer()
        }.get()
    }

    deinit { channel.close(promise: nil) }

    /// Whether the connection is still there.
    var isOpen: Bool { channel.isActive }

    /// Closes the connection.
    func close() { channel.close(promise: nil) }

    /// Sends a request; `body` is sent as it is, and ended.
    func request(
        _ path: String, method: String = "GET", headers: [(String, String)] = [], body: [UInt8]? = nil,
        authority: String? = "localhost"
    ) async throws -> HTTP2Exchange {
        let exchange = HTTP2Exchange()
        let stream = try await multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2Exchange.Collector(exchange))
            }
        }.get()
        exchange.connect(stream)
        var fields = [(":method", method), (":path", path), (":scheme", "https")]
        if let authority { fields.append((":authority", authority)) }
        let head = HTTP2Frame.FramePayload.headers(
            .init(headers: HPACKHeaders(fields + headers), endStream: body == nil))
        stream.writeAndFlush(head, promise: nil)
        if let body {
            let data = HTTP2Frame.FramePayload.data(
                .init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true))
            stream.writeAndFlush(data, promise: nil)
        }
        return exchange
    }

    /// The body of a whole answer.
    func get(_ path: String, headers: [(String, String)] = []) async throws -> HTTP2Exchange.Answer {
        try await request(path, headers: headers).end()
    }

    /// The id of the session in `workspace`, once it has `events` events.
    func session(_ workspace: String, events: Int) async throws -> String {
        var id = ""
        try await eventually(within: .seconds(10), "session \(workspace) with \(events) events") {
            let list = try await get("/api/sessions").json() as? [[String: Any]] ?? []
            let found = list.first { ($0["working_dir"] as? String)?.hasSuffix("/" + workspace) == true }
            id = found?["id"] as? String ?? ""
            return (found?["last_seq"] as? Int).map { $0 >= events } ?? false
        }
        return id
    }
}
