import NIOCore
import NIOHTTP2

/// Refuses the request of one HTTP/2 stream unseen, so that it may be sent again elsewhere (RFC 9113, 8.7). What comes
/// of its body is dropped by the codec, which knows of the stream.
final class RefusedStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .headers = unwrapInboundIn(data) else { return }
        context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
    }
}
