import NIOCore
import NIOHTTP2

/// Turns the bytes that an event stream writes into DATA frames; an empty buffer, which nothing else is, ends the
/// HTTP/2 stream.
final class DataFrames: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        let payload = HTTP2Frame.FramePayload.Data(
            data: .byteBuffer(bytes), endStream: bytes.readableBytes == 0)
        context.write(wrapOutboundOut(.data(payload)), promise: promise)
    }
}
