import NIOCore
import NIOHPACK
import NIOHTTP2
import RalphWire

/// The front of one HTTP/2 stream's pipeline: knows what the client has not taken yet, keeps ambiguous requests
/// out, and ends the stream without ending the connection. Confined to its event loop.
final class HTTP2Stream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Bytes that wait for the client above which a stream writes no more.
    static let highWatermark = 64 * 1024
    /// Bytes below which it goes on.
    static let lowWatermark = 32 * 1024
    /// Longer bodies are handed on in pieces of this many bytes, so that it shows when a part is taken.
    private static let pieceBytes = 64 * 1024
    /// `:method`, `:scheme`, `:authority` and `:path`, which are no fields of their own in HTTP/1.1.
    private static let pseudoFields = 4

    private let limits: HTTPLimits
    /// Bytes that were written, and that the connection has not taken.
    private(set) var untakenBytes = 0
    /// What is wrong with the request's fields as they were sent; `nil`: nothing.
    private(set) var problem: Problem?
    /// Whether the end of the answer is out.
    private var hasEnded = false

    init(limits: HTTPLimits) { self.limits = limits }

    /// What turns frames into the parts of HTTP/1.1 requests and back.
    static func codec() -> HTTP2FramePayloadToHTTP1ServerCodec { HTTP2FramePayloadToHTTP1ServerCodec() }

    /// Gives the HTTP/2 stream to a stream of events.
    func carry(_ stream: EventStream, _ pipeline: ChannelPipeline.SynchronousOperations) throws {
        let frames = DataFrames()
        try pipeline.addHandler(frames, position: .after(self))
        try pipeline.addHandler(stream, position: .after(frames))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers(var content) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        problem = problem(with: content.headers)
        Self.agree(&content.headers)
        context.fireChannelRead(wrapInboundOut(.headers(content)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .data(let content) = unwrapOutboundIn(data), case .byteBuffer(var body) = content.data
        else {
            return context.write(data, promise: promise)
        }
        while body.readableBytes > Self.pieceBytes, let piece = body.readSlice(length: Self.pieceBytes) {
            write(piece, endsStream: false, context, nil)
        }
        write(body, endsStream: content.endStream, context, promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard hasEnded, context.channel.isActive else { return context.close(mode: mode, promise: promise) }
        // The answer is whole, and the rest of the request is not wanted: no error (RFC 9113, 8.1).
        context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: promise)
    }

    private func write(
        _ piece: ByteBuffer, endsStream: Bool, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let bytes = piece.readableBytes
        untakenBytes += bytes
        // A promise of our own: whoever hears of the end may close at once, and we must know of it before.
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { result in
            bound.value.untakenBytes -= bytes
            if endsStream, case .success = result { bound.value.hasEnded = true }
            promise?.completeWith(result)
        }
        let payload = HTTP2Frame.FramePayload.Data(data: .byteBuffer(piece), endStream: endsStream)
        context.write(wrapOutboundOut(.data(payload)), promise: written)
    }

    /// A value with a blank around it is malformed (RFC 9113, 8.2.1). To take the blank away would copy the value, and many
    /// requests may share one that was sent once (RFC 7541).
    private func problem(with headers: HPACKHeaders) -> Problem? {
        if headers.count > limits.maximumHeaderFields + Self.pseudoFields { return .tooManyHeaders(limits) }
        let isMalformed = headers.contains { _, value, _ in
            value.utf8.first.map(HeadRules.isBlank) == true || value.utf8.last.map(HeadRules.isBlank) == true
        }
        return isMalformed ? .malformedRequest : nil
    }

    /// Makes `Host` and `:authority` one: both may be there, and must say the same (RFC 9113, 8.3.1). If they do
    /// not, the request names two hosts, and is refused as such; likewise one without any, whose host is empty then.
    private static func agree(_ headers: inout HPACKHeaders) {
        let hosts = headers["host"]
        if let authority = headers.first(name: ":authority") {
            guard let host = hosts.first else { return }
            if authority.lowercased() != host.lowercased() { headers.add(name: "host", value: authority) }
        } else {
            headers.add(name: ":authority", value: hosts.first ?? "")
        }
    }
}
