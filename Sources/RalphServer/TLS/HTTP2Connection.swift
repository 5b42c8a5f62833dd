import NIOCore
import NIOHTTP2
import NIOSSL

/// The end of an HTTP/2 connection's pipeline: counts its streams, and ends it when nobody needs it any more.
///
/// An ending connection says so first (GOAWAY, RFC 9113, 6.8). A request that crosses that on its way is refused, and may
/// be sent again; what was begun before is still answered. The codec does not know of it as long as requests can cross: it
/// would take their bodies for a mistake, and cut all others. Confined to its event loop.
final class HTTP2Connection: ChannelInboundHandler, ShardMember {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private enum Phase {
        case open
        /// The client has been told, and may not have heard it yet.
        case leaving
        /// The last words are on their way.
        case closing
    }

    /// Seconds for a client to confirm that it has heard of the end.
    private static let farewellSeconds: Int64 = 2
    private static let farewell = HTTP2PingData(withInteger: 0x7261_6C70_6862_7965)
    /// GOAWAY of 8 bytes, of the connection: every stream may still be begun, and there is no error (RFC 9113, 6.8).
    private static let goAway = ByteBuffer(bytes: [
        0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0,
    ])

    private let shard: ConnectionShard
    private let limits: HTTPLimits
    private var context: ChannelHandlerContext?
    private var phase = Phase.open
    private var streams = 0
    private var newest = HTTP2StreamID.rootStream
    private var hasGreeted = false
    /// The client has confirmed that it has heard of the end.
    private var hasHeard = false
    /// How often the client has broken a rule.
    private var mistakes = 0
    /// The second of the shard's clock at which patience ends with a connection that has no stream.
    private var deadline: Int64

    init(shard: ConnectionShard, limits: HTTPLimits) {
        self.shard = shard
        self.limits = limits
        deadline = shard.seconds + limits.headSeconds
    }

    /// The handlers of a connection; `open` sets up a new stream's channel.
    static func handlers(
        on channel: any Channel, shard: ConnectionShard, limits: HTTPLimits,
        open: @escaping @Sendable (any Channel) throws -> Void
    ) -> [any ChannelHandler] {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.maximumRecentlyResetStreams = limits.concurrentStreams
        connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.concurrentStreams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.maximumHeaderBytes),
        ]
        var stream = NIOHTTP2Handler.StreamConfiguration()
        stream.outboundBufferSizeHighWatermark = HTTP2Stream.highWatermark
        stream.outboundBufferSizeLowWatermark = HTTP2Stream.lowWatermark
        let end = HTTP2Connection(shard: shard, limits: limits)
        let bound = NIOLoopBound(end, eventLoop: channel.eventLoop)
        let codec = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: connection,
            streamConfiguration: stream,
            streamDelegate: Delegate(connection: bound)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                guard bound.value.phase == .open else {
                    return try stream.pipeline.syncOperations.addHandler(RefusedStream())
                }
                try open(stream)
            }
        }
        return [codec, end]
    }

    // MARK: Streams

    /// Tells the connection of its streams.
    private struct Delegate: NIOHTTP2StreamDelegate {
        let connection: NIOLoopBound<HTTP2Connection>

        func streamCreated(_ id: HTTP2StreamID, channel: any Channel) { connection.value.noteBegin(of: id) }
        func streamClosed(_ id: HTTP2StreamID, channel: any Channel) { connection.value.noteEnd() }
    }

    private func noteBegin(of stream: HTTP2StreamID) {
        streams += 1
        newest = max(newest, stream)
    }

    private func noteEnd() {
        streams -= 1
        guard streams == 0 else { return }
        switch phase {
        case .open: deadline = shard.seconds + limits.idleSeconds
        case .leaving: if hasHeard { closeLater() }
        case .closing: break
        }
    }

    // MARK: Channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        shard.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        shard.remove(self)
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasGreeted {
            hasGreeted = true
            deadline = shard.seconds + limits.idleSeconds
        }
        guard case .ping(Self.farewell, ack: true) = unwrapInboundIn(data).payload else { return }
        hasHeard = true
        if streams == 0 { closeLater() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Nothing can be sent for long to somebody who gives no leave to.
        if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if Self.hasEndedAll(error) { return context.close(promise: nil) }
        // A client that breaks the rules of HTTP/2 in one stream loses that stream; which of the two kinds this is, the
        // error does not tell. Where the whole connection is meant the client has been told so, and closes it; the codec
        // keeps what comes until then, and tells of each read.
        if error is any NIOHTTP2Error {
            mistakes += 1
            return mistakes <= limits.concurrentStreams ? leave() : context.close(promise: nil)
        }
        // A request that crosses the last words has been refused; one that comes after an error finds nobody to serve it.
        guard error is NIOHTTP2Errors.StreamError, mistakes == 0 else { return context.close(promise: nil) }
    }

    /// Whether the codec has told a client that floods it that no stream is served (GOAWAY with the stream 0), and ended all:
    /// that number must not rise (RFC 9113, 6.8), so there is no farewell.
    private static func hasEndedAll(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.ExcessiveRSTFrames, is NIOHTTP2Errors.ExcessiveControlFrames,
            is NIOHTTP2Errors.ExcessiveEmptyDataFrames, is NIOHTTP2Errors.ExcessiveStreamErrors,
            is NIOHTTP2Errors.ExcessiveNumberOfGlitches:
            true
        default: false
        }
    }

    // MARK: Time

    func tick(second: Int64) {
        guard second >= deadline, streams == 0 || phase == .closing else { return }
        switch phase {
        case .open: leave()
        case .leaving: closeLater()
        case .closing: context?.close(promise: nil)
        }
    }

    func drain() { leave() }

    // MARK: Farewell

    private func leave() {
        guard phase == .open, let context else { return }
        phase = .leaving
        deadline = shard.seconds + Self.farewellSeconds
        // Without the codec the connection is gone.
        let codec = try? context.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
        codec?.write(NIOAny(Self.goAway), promise: nil)
        write(.ping(Self.farewell, ack: false), context, nil)
        context.flush()
    }

    /// Closes when everything that was written has been taken; not from within an event of the codec.
    private func closeLater() {
        guard phase == .leaving, let context else { return }
        phase = .closing
        deadline = shard.seconds + limits.closingSeconds
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            guard let context = bound.value.context else { return }
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.whenComplete { _ in bound.value.context?.close(promise: nil) }
            let last = bound.value.newest
            bound.value.write(
                .goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), context, written)
            context.flush()
        }
    }

    private func write(
        _ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: promise)
    }
}
