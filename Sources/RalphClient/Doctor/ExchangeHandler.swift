import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// Sends one request and tells what comes back, with the time at which it came. Confined to its event loop.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// Parts that may wait to be taken; the oldest wait.
    static let maximumParts = 4096

    /// `nil`: nothing is asked, the handshake is all.
    private let request: HTTPRequestHead?
    private let arrivals: AsyncThrowingStream<Arrival, any Error>.Continuation

    init(_ request: HTTPRequestHead?, arrivals: AsyncThrowingStream<Arrival, any Error>.Continuation) {
        self.request = request
        self.arrivals = arrivals
    }

    func channelActive(context: ChannelHandlerContext) {
        guard let request else { return }
        context.write(wrapOutboundOut(.head(request)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing was asked: what a server says first, such as its HTTP/2 settings, is not taken apart.
        guard request != nil else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): tell(.head(head))
        case .body(let bytes): tell(.body(bytes))
        case .end: tell(.end)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let name) = event as? TLSUserEvent {
            // Asked on the channel's own loop, where its handlers can be.
            let version = try? context.channel.pipeline.syncOperations.nioSSL_tlsVersion()
            tell(.secured(protocol: name, version: version.map { "\($0)" }))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A peer that closes without saying goodbye has still said what it said.
        if let error = error as? NIOSSLError, error == .uncleanShutdown { return }
        arrivals.finish(throwing: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        arrivals.finish()
        context.fireChannelInactive()
    }

    private func tell(_ part: Arrival.Part) { arrivals.yield(Arrival(part: part, at: .now)) }
}
