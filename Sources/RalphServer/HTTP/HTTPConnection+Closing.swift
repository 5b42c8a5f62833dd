import NIOCore
import NIOHTTP1

/// How answers and connections end.
///
/// A connection whose client is still sending must not be closed at once: what it sends would be answered with a
/// reset, which takes the answer away from whoever sends first and reads then. Its end is announced instead, and
/// what comes is dropped for a while (RFC 9112, 9.6), through TLS as well, which would wait for a moment only.
extension HTTPConnection {
    /// Whether more of a request is to come; its head, or what there is of it, is in hand.
    func isIncomplete(_ head: HTTPRequestHead?) -> Bool {
        switch state {
        case .waiting, .receiving, .dropping, .held: head.map(HeadRules.hasBody) ?? true
        case .responding, .delivering, .closing, .discarding: false
        }
    }

    /// Ends a response, and with it the wait for the next request, or else the connection: that is closed only when the
    /// socket has taken all of it.
    ///
    /// The handler in front hands the next request on from within the end of this response, and that may be answered at once:
    /// behind ``maximumDepth`` of them the stack is left first.
    func finish(_ context: ChannelHandlerContext, closing: Bool) {
        guard depth < Self.maximumDepth else { return finishLater(context, closing: closing) }
        depth += 1
        defer { depth -= 1 }
        if !closing { pay() }
        state = closing ? .closing : .waiting
        deadline = shard.seconds + (closing ? services.limits.closingSeconds : services.limits.idleSeconds)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: closing ? makeEnd(context) : nil)
    }

    private func finishLater(_ context: ChannelHandlerContext, closing: Bool) {
        state = .responding
        deadline = nil
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute {
            guard let context = bound.value.context, case .responding = bound.value.state else { return }
            bound.value.finish(context, closing: closing || bound.value.isLast)
        }
    }

    /// Closes when the socket has taken what was written, and `last` behind it: past the handlers in front, which
    /// would hold it against us that no request is there to be answered.
    func close(_ context: ChannelHandlerContext, behind last: ByteBuffer) {
        dropBody()
        state = .closing
        deadline = shard.seconds + services.limits.closingSeconds
        let written = makeEnd(context)
        // Without the handler in front the connection is gone too.
        guard let front = codec.first, let edge = try? context.pipeline.syncOperations.context(handler: front)
        else { return written.succeed() }
        edge.writeAndFlush(NIOAny(last), promise: written)
    }

    /// Drops bytes that come behind the last answer; `false`: it is not made yet.
    func discard(_ bytes: Int) -> Bool {
        switch state {
        case .discarding(let left):
            state = .discarding(left: left - bytes)
            if bytes >= left { context?.close(promise: nil) }
            return true
        // Behind a request for another protocol the decoder would keep all that comes.
        case .closing:
            isCutShort = true
            return true
        case .waiting, .receiving, .dropping, .held, .responding, .delivering: return false
        }
    }

    /// Ends a connection that has an answer for `device` which was not taken yet.
    func breakOff(answerTo device: DeviceID) {
        guard caller.device == device else { return }
        switch state {
        case .delivering, .closing: context?.close(promise: nil)
        case .waiting, .receiving, .dropping, .held, .responding, .discarding: break
        }
    }

    /// What ends the connection when it is kept.
    private func makeEnd(_ context: ChannelHandlerContext) -> EventLoopPromise<Void> {
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.end() }
        return written
    }

    private func end() {
        guard let context else { return }
        guard isCutShort, http2 == nil, !isLast else { return context.close(promise: nil) }
        state = .discarding(left: HTTPLimits.maximumDiscardedBytes)
        deadline = shard.seconds + services.limits.discardSeconds
        context.close(mode: .output, promise: nil)
        // An answer that was held back has stopped it. A channel that does not take this is closing.
        try? context.channel.syncOptions?.setOption(.autoRead, value: true)
    }
}
