import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RalphWire
import Synchronization

/// The listening socket and the event loops behind it.
final class HTTPListener: Sendable {
    /// One event loop and what is confined to it.
    private struct Loop: Sendable {
        let eventLoop: any EventLoop
        let shard: NIOLoopBoundBox<ConnectionShard>
    }

    /// What the kernel holds for a client that does not read, in bytes; Linux adds as much for its own books
    /// (socket(7)). Left to itself it takes megabytes for each, and a thousand slow clients make every copy slow.
    private static let sendBufferBytes: SocketOptionValue = 512 * 1024

    /// Connections on their way to their loop at once; further ones wait in the kernel. A loop looks at no socket as
    /// long as there is another connection to be set up.
    private static let openingsAtOnce = 32
    /// How long a connection waits for one of those places.
    private static let openingPatience = DispatchTimeInterval.seconds(1)

    private let openings = DispatchSemaphore(value: 0)
    private let group: MultiThreadedEventLoopGroup
    private let services: HTTPServices
    /// `nil`: plain HTTP.
    private let tls: TLSSetup?
    private let loops: [Loop]
    private let socket = Mutex<ListeningSocket?>(nil)
    private let refused = RefusedConnections()

    init(
        group: MultiThreadedEventLoopGroup, services: HTTPServices, shards: [ShardInbox],
        streams: StreamServices, tls: TLSSetup? = nil
    ) {
        self.tls = tls
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
        // One that began with places could not be let go of while somebody has one.
        for _ in 0..<Self.openingsAtOnce { openings.signal() }
    }

    /// The address bound, while it listens.
    var address: String? { socket.withLock { $0 }?.address }
    /// Connections open now.
    var connectionCount: Int { counters.connections.load(ordering: .relaxed) }
    private var counters: StreamCounters { services.streams.counters }

    /// Binds and begins to accept.
    ///
    /// - Returns: the port bound, the real one if 0 was asked for.
    /// - Throws: ``ListenError`` with the reason in words, such as `Address already in use`; ``ThreadError``.
    func start(host: String, port: Int) async throws -> Int {
        let listening = try ListeningSocket(host: host, port: port)
        socket.withLock { $0 = listening }
        for loop in loops { try await loop.eventLoop.submit { loop.shard.value.start() }.get() }
        if let loop = loops.first {
            loop.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) {
                [refused] _ in
                refused.tick()
            }
        }
        let next = Atomic<Int>(0)
        try listening.accept(logger: services.logger) { [self] descriptor in
            take(descriptor, on: loops[next.wrappingAdd(1, ordering: .relaxed).oldValue % loops.count])
        }
        return listening.port
    }

    /// Wakes the loops whose streams have something new; called on the ingest thread.
    func drainStreams(ofLoop index: Int) {
        let loop = loops[index]
        loop.eventLoop.execute { loop.shard.value.streams.drainInTime() }
    }

    /// Ends the streams of a session after the event `seq`; returns when each that can has written its end.
    func endStreams(of session: SessionID, after seq: Int64) async {
        for loop in loops {
            // A loop that is gone has no streams.
            try? await loop.eventLoop.submit { loop.shard.value.streams.end(session, after: seq) }.get()
        }
    }

    /// Ends what a device has open; returns when that is done.
    func end(_ device: DeviceID) async {
        for loop in loops {
            // A loop that is gone has nothing open.
            try? await loop.eventLoop.submit { loop.shard.value.end(device) }.get()
        }
    }

    /// Accepts no more, ends the streams, and waits up to `limit` for the last connections to go.
    func shutDown(within limit: Duration) async {
        socket.withLock { $0 }?.close()
        for loop in loops {
            loop.eventLoop.execute { loop.shard.value.drain(spread: 4000) }
        }
        refused.closeAll()
        let deadline = ContinuousClock.now + limit
        while connectionCount > 0, ContinuousClock.now < deadline {
            do { try await Task.sleep(for: .milliseconds(10)) } catch { break }  // cancelled: no more waiting
        }
        for loop in loops {
            // A loop that is gone needs no stop.
            try? await loop.eventLoop.submit { loop.shard.value.stop() }.get()
        }
    }

    /// Makes a connection of an accepted socket, or tells it that there are too many.
    private func take(_ descriptor: Int32, on loop: Loop) {
        guard counters.connections.add(1, ordering: .relaxed).newValue <= services.limits.maximumConnections
        else {
            counters.refusedConnections.add(1, ordering: .relaxed)
            return turnAway(descriptor)
        }
        let address = ListeningSocket.peer(of: descriptor)
        guard services.access.connections.take(address) else { return turnAway(descriptor) }
        counters.accepted.add(1, ordering: .relaxed)
        let hasPlace = openings.wait(timeout: .now() + Self.openingPatience) == .success
        ClientBootstrap(group: loop.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_sndbuf), value: Self.sendBufferBytes)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            .channelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let tls else { return try setUp(channel, descriptor, isDirect: true, loop) }
                    try setUp(channel, descriptor, tls, loop)
                }
            }
            .withConnectedSocket(descriptor)
            .whenComplete { [self] result in
                if hasPlace { openings.signal() }
                guard case .success(let channel) = result else { return noteEnd(address) }
                channel.closeFuture.whenComplete { [self] _ in noteEnd(address) }
            }
    }

    /// TLS in front, and behind it what the handshake agrees on.
    private func setUp(_ channel: any Channel, _ socket: Int32, _ tls: TLSSetup, _ loop: Loop) throws {
        let handshake = TLSHandshake(shard: loop.shard.value, limits: services.limits) {
            [self] channel, agreed in
            guard agreed == TLSIdentity.http2 else {
                return try setUp(channel, socket, isDirect: false, loop)
            }
            try channel.pipeline.syncOperations.addHandlers(
                HTTP2Connection.handlers(on: channel, shard: loop.shard.value, limits: services.limits) {
                    [self] stream in
                    let front = HTTP2Stream(limits: services.limits)
                    let connection = HTTPConnection(
                        services: services, shard: loop.shard.value, socket: socket, isDirect: false,
                        codec: [],
                        http2: front)
                    try stream.pipeline.syncOperations.addHandlers([front, HTTP2Stream.codec(), connection])
                })
        }
        try channel.pipeline.syncOperations.addHandlers([tls.makeHandler(), handshake])
    }

    /// A connection of `address` is no more.
    private func noteEnd(_ address: String?) {
        counters.connections.subtract(1, ordering: .relaxed)
        services.access.connections.giveBack(address)
    }

    /// Tells a connection that there are too many.
    private func turnAway(_ descriptor: Int32) {
        counters.connections.subtract(1, ordering: .relaxed)
        guard tls == nil else { return _ = close(descriptor) }
        _ = DirectSocket(descriptor: descriptor).send(Self.full)
        refused.take(descriptor)
    }

    /// HTTP/1.1; where it is not direct, all bytes go through the channel's handlers.
    private func setUp(_ channel: any Channel, _ socket: Int32, isDirect: Bool, _ loop: Loop) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = services.limits.maximumHeaderBytes
        limits.maxHeaderListSize = services.limits.maximumHeaderBytes
        limits.maxHeaderFieldCount = services.limits.maximumHeaderFields
        let encoder = HTTPResponseEncoder()
        // The parser counts neither blanks before a value or a version, nor what comes behind an upgrade, and keeps both.
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits),
            maximumBufferSize: services.limits.maximumUnparsedBytes)
        let pipelining = HTTPServerPipelineHandler()
        let connection = HTTPConnection(
            services: services, shard: loop.shard.value, socket: socket, isDirect: isDirect,
            codec: [encoder, decoder, pipelining])
        try channel.pipeline.syncOperations.addHandlers([
            connection.makeRepeated(), encoder, decoder, pipelining, connection,
        ])
    }

    private static let full: ByteBuffer = {
        let body = #"{"error":"too_many_connections","code":"UNAVAILABLE"}"#
        return ByteBuffer(
            string:
                "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Retry-After: 5\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }()
}
