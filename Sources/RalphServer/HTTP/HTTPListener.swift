import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The listening socket and the event loops behind it.
final class HTTPListener: Sendable {
    /// One event loop and what is confined to it.
    private struct Loop: Sendable {
        let eventLoop: any EventLoop
        let shard: NIOLoopBoundBox<ConnectionShard>
    }

    private let group: MultiThreadedEventLoopGroup
    private let services: HTTPServices
    private let loops: [Loop]
    private let openConnections = Atomic<Int>(0)
    private let channel = Mutex<(any Channel)?>(nil)

    init(group: MultiThreadedEventLoopGroup, services: HTTPServices, shards: [ShardInbox], streams: StreamServices) {
        self.group = group
        self.services = services
        var loops: [Loop] = []
        for (eventLoop, inbox) in zip(group.makeIterator(), shards) {
            let shard = NIOLoopBoundBox.makeBoxSendingValue(
                ConnectionShard(
                    eventLoop: eventLoop,
                    streams: StreamShard(eventLoop: eventLoop, inbox: inbox, services: streams)),
                eventLoop: eventLoop)
            loops.append(Loop(eventLoop: eventLoop, shard: shard))
        }
        self.loops = loops
    }

    /// Connections open now.
    var connectionCount: Int { openConnections.load(ordering: .relaxed) }

    /// Binds and begins to accept.
    ///
    /// - Returns: the address bound, with the real port if 0 was asked for.
    /// - Throws: ``ListenError`` with the reason in words, such as `Address already in use`.
    func start(host: String, port: Int) async throws -> SocketAddress {
        for loop in loops { try await loop.eventLoop.submit { loop.shard.value.start() }.get() }
        do {
            let bound = try await makeBootstrap().bind(host: host, port: port).get()
            channel.withLock { $0 = bound }
            guard let address = bound.localAddress else { throw ListenError(host: host, port: port, errnoCode: 0) }
            return address
        } catch let error as IOError {
            throw ListenError(host: host, port: port, errnoCode: error.errnoCode)
        }
    }

    /// Wakes the loops whose streams have something new; called on the ingest thread.
    func drainStreams(ofLoop index: Int) {
        let loop = loops[index]
        loop.eventLoop.execute { loop.shard.value.streams.drain() }
    }

    /// Accepts no more, ends the streams, and waits up to `limit` for the last connections to go.
    func shutDown(within limit: Duration) async {
        try? await channel.withLock { $0 }?.close().get()  // a socket that is closed already is what we want
        for loop in loops {
            loop.eventLoop.execute { loop.shard.value.drain(spread: 4000) }
        }
        let deadline = ContinuousClock.now + limit
        while connectionCount > 0, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(10))  // cancelled: the deadline has come early
        }
        for loop in loops {
            try? await loop.eventLoop.submit { loop.shard.value.stop() }.get()  // a loop that is gone needs no stop
        }
    }

    private func makeBootstrap() -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture { try setUp(channel) }
            }
    }

    private func setUp(_ channel: any Channel) throws {
        let count = openConnections.add(1, ordering: .relaxed).newValue
        channel.closeFuture.whenComplete { [self] _ in openConnections.subtract(1, ordering: .relaxed) }
        guard count <= services.limits.maximumConnections else {
            channel.writeAndFlush(Self.full).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        guard let loop = loops.first(where: { $0.eventLoop === channel.eventLoop }) else { return }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = services.limits.maximumHeaderBytes
        limits.maxHeaderListSize = services.limits.maximumHeaderBytes
        limits.maxHeaderFieldCount = services.limits.maximumHeaderFields
        let encoder = HTTPResponseEncoder()
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits))
        let pipelining = HTTPServerPipelineHandler()
        let connection = HTTPConnection(
            services: services, shard: loop.shard.value, codec: [encoder, decoder, pipelining])
        try channel.pipeline.syncOperations.addHandlers([encoder, decoder, pipelining, connection])
    }

    private static let full: ByteBuffer = {
        let body = #"{"error":"too_many_connections","code":"UNAVAILABLE"}"#
        return ByteBuffer(
            string: "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Retry-After: 5\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }()
}
