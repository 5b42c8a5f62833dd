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
    private let farewells: Farewells

    /// Connects and shakes hands.
    init(port: Int) async throws {
        self.port = port
        let farewells = Farewells()
        self.farewells = farewells
        let channel = try await TLSProbe.connect(port: port, protocols: ["h2"]) { channel in
            let handler = NIOHTTP2Handler(mode: .client, eventLoop: channel.eventLoop) { stream in
                stream.close()  // the server pushes nothing
            }
            try channel.pipeline.syncOperations.addHandlers([Holder(farewells), handler])
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

    /// Keeps what comes from being looked at, until ``release()``.
    func hold() async throws { try await withHolder { $0.held = [] } }

    /// How many pieces came since ``hold()``.
    func held() async throws -> Int { try await withHolder { $0.held?.count ?? 0 } }

    /// Looks at what was held.
    func release() async throws { try await withHolder { $0.release() } }

    private func withHolder<T: Sendable>(_ body: @escaping @Sendable (Holder) -> T) async throws -> T {
        try await channel.eventLoop.submit { [channel] in
            body(try channel.pipeline.syncOperations.handler(type: Holder.self))
        }.get()
    }

    /// The last stream ids of the GOAWAY frames that came, in their order.
    var lastStreams: [UInt32] { farewells.found.withLock { $0 } }

    private final class Farewells: Sendable {
        let found = Mutex<[UInt32]>([])
    }

    /// Stands in front of the codec.
    private final class Holder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var held: [NIOAny]?
        private let farewells: Farewells
        private var rest = ByteBuffer()
        private var context: ChannelHandlerContext?

        init(_ farewells: Farewells) { self.farewells = farewells }

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }

        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            noteFarewells(unwrapInboundIn(data))
            if held == nil { context.fireChannelRead(data) } else { held?.append(data) }
        }

        private func noteFarewells(_ bytes: ByteBuffer) {
            rest.writeImmutableBuffer(bytes)
            while let head: UInt32 = rest.getInteger(at: rest.readerIndex),
                var frame = rest.readSlice(length: 9 + Int(head >> 8))
            {
                guard head & 0xFF == 7 else { continue }
                frame.moveReaderIndex(forwardBy: 9)
                if let last: UInt32 = frame.readInteger() { farewells.found.withLock { $0.append(last) } }
            }
        }

        func release() {
            let data = held ?? []
            held = nil
            for data in data { context?.fireChannelRead(data) }
            context?.fireChannelReadComplete()
        }
    }

    /// Sends a request; `body` is sent as it is, and ended unless it `isBegun` only.
    ///
    /// - Parameter isReading: `false`: the answer waits for ``HTTP2Exchange/take()``.
    func request(
        _ path: String, method: String = "GET", headers: [(String, String)] = [], body: [UInt8]? = nil,
        isBegun: Bool = false, authority: String? = "localhost", isReading: Bool = true
    ) async throws -> HTTP2Exchange {
        let exchange = HTTP2Exchange()
        let stream = try await multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(HTTP2Exchange.Collector(exchange))
            }
        }.get()
        exchange.connect(stream)
        if !isReading { try await exchange.setReading(false) }
        var fields = [(":method", method), (":path", path), (":scheme", "https")]
        if let authority { fields.append((":authority", authority)) }
        let head = HTTP2Frame.FramePayload.headers(
            .init(headers: HPACKHeaders(fields + headers), endStream: body == nil))
        stream.writeAndFlush(head, promise: nil)
        if let body {
            let data = HTTP2Frame.FramePayload.data(
                .init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: !isBegun))
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
