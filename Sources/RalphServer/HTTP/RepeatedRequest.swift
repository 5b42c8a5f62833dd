import NIOCore
import NIOHTTP1

/// Knows the request that a connection sends again and again byte for byte, as clients that poll do, so that it
/// need not be taken apart each time.
///
/// Stands in front of the decoder and takes away only what the decoder would keep nothing of: a request is
/// remembered if it was the whole of one read, began where a request must begin, and can have no body. A read
/// of the same bytes is the same request then. Whether and how it is answered is asked anew each time.
final class RepeatedRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private struct Known {
        let bytes: ByteBuffer
        let head: HTTPRequestHead
        let path: RequestPath
        /// Where its answers are counted.
        let route: Int
    }

    /// Longer requests are not remembered, bytes.
    static let maximumBytes = 1024

    private weak var connection: HTTPConnection?
    private var known: Known?
    /// What the connection made of the present read.
    private var requests = 0
    private var candidate: (head: HTTPRequestHead, path: RequestPath, route: Int)?
    /// Whether the decoder keeps nothing of what was read so far; for good, once that cannot be told.
    private var isAtBoundary = true

    init(_ connection: HTTPConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isAtBoundary else { return context.fireChannelRead(data) }
        let read = unwrapInboundIn(data)
        if let known, known.bytes == read,
            let answer = connection?.answerAgain(known.head, known.path, route: known.route)
        {
            context.writeAndFlush(wrapOutboundOut(answer.bytes(closing: false)), promise: nil)
            return
        }
        requests = 0
        candidate = nil
        context.fireChannelRead(data)
        isAtBoundary = requests == 1 && Self.isWhole(read)
        guard isAtBoundary, let candidate else { return }
        known = Known(
            bytes: read, head: candidate.head, path: candidate.path, route: candidate.route)
    }

    /// The connection took a request that has ended; `isReady`: it was answered at once, and would be again.
    func note(_ head: HTTPRequestHead, _ path: RequestPath, route: Int, isReady: Bool) {
        requests += Self.bodyHeaders.contains(where: head.headers.contains(name:)) ? 2 : 1
        guard isReady, head.method == .GET, head.version == .http1_1, head.isKeepAlive,
            !head.headers.contains(name: "expect")
        else { return }
        candidate = (head, path, route)
    }

    /// Whether the bytes are one head and nothing else.
    private static func isWhole(_ read: ByteBuffer) -> Bool {
        guard read.readableBytes <= maximumBytes, let end = read.readableBytesView.firstRange(of: headEnd)
        else { return false }
        return end.upperBound == read.readableBytesView.endIndex
    }

    private static let bodyHeaders = ["content-length", "transfer-encoding"]
    private static let headEnd = Array("\r\n\r\n".utf8)
}
