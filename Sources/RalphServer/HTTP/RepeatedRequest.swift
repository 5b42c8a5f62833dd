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

    /// What the connection made of a request.
    struct Request {
        let head: HTTPRequestHead
        let path: RequestPath
        /// Where its answers are counted.
        let route: Int
        let caller: Caller
    }

    private final class Known {
        let bytes: ByteBuffer
        let request: Request
        /// The body of the last answer, and how that went over the wire.
        var body: ByteBuffer?
        var wire = ByteBuffer()

        init(_ request: Request, bytes: ByteBuffer) {
            self.request = request
            self.bytes = bytes
        }
    }

    /// Longer requests are not remembered, bytes.
    static let maximumBytes = 1024

    private weak var connection: HTTPConnection?
    /// `nil` where bytes are changed on their way.
    private let socket: DirectSocket?
    private var known: Known?
    /// What the connection made of the present read.
    private var requests = 0
    private var candidate: Request?
    /// Whether the decoder keeps nothing of what was read so far; for good, once that cannot be told.
    private var isAtBoundary = true

    init(_ connection: HTTPConnection, descriptor: Int32?) {
        self.connection = connection
        socket = descriptor.map(DirectSocket.init)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let read = unwrapInboundIn(data)
        if connection?.discard(read.readableBytes) == true { return }
        guard isAtBoundary else {
            connection?.noteRead(read.readableBytes)
            return context.fireChannelRead(data)
        }
        if let known, known.bytes == read, let connection,
            let answer = connection.answerAgain(known.request)
        {
            // Answers to one request that need no waiting differ in their bodies only.
            if known.body != answer.body {
                known.body = answer.body
                known.wire = connection.wire(of: answer, to: known.request.head)
            }
            return send(known.wire, context)
        }
        requests = 0
        candidate = nil
        connection?.noteRead(read.readableBytes)
        context.fireChannelRead(data)
        isAtBoundary = requests == 1 && Self.isWhole(read)
        guard isAtBoundary, let candidate else { return }
        known = Known(candidate, bytes: read)
    }

    /// The connection took a request that has ended; `isReady`: it was answered at once, and would be again.
    func note(_ request: Request, isReady: Bool) {
        let head = request.head
        requests += Self.bodyHeaders.contains(where: head.headers.contains(name:)) ? 2 : 1
        guard isReady, head.method == .GET, head.version == .http1_1, head.isKeepAlive,
            !head.headers.contains(name: "expect")
        else { return }
        candidate = request
    }

    /// Writes past the channel while nothing waits in it.
    private func send(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        // A channel that does not tell is one in which something may wait.
        guard let socket, (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0 else {
            return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }
        guard let rest = socket.send(bytes) else { return }
        context.writeAndFlush(wrapOutboundOut(rest), promise: nil)
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
