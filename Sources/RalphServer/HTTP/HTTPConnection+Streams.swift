import NIOCore
import NIOHTTP1
import RalphWire

/// Streams, which take the connection over.
extension HTTPConnection {
    /// Writes the head of a stream alone, and closes: its end would be the last chunk of a body, and HEAD has
    /// none (RFC 9110, 9.3.2).
    private func describe(_ response: HTTPResponseHead, _ context: ChannelHandlerContext) {
        guard http2 == nil else {
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            return finish(context, closing: true)
        }
        state = .closing
        deadline = shard.seconds + services.limits.closingSeconds
        var response = response
        response.headers.replaceOrAdd(name: "connection", value: "close")
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.context?.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.head(response)), promise: written)
    }

    /// Gives the connection to a stream.
    func open(_ plan: StreamPlan, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var plan = plan
        if head.method != .HEAD {
            do throws(Problem) {
                plan.seat = try services.access.streams.take(for: caller, at: network(of: caller))
            } catch {
                services.streams.giveBack(plan)
                return write(Answer(error), head, context)
            }
        }
        var response = services.streams.responseHead(for: plan, head)
        services.crossOrigin.adapt(&response.headers, for: head.headers)
        note(response.status, head.method, opensStream: head.method == .GET)
        guard head.method != .HEAD else {
            return describe(response, context)
        }
        state = .closing
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        let pipeline = context.pipeline.syncOperations
        do {
            // In front of the codec, so that it writes to the socket whether the codec is gone yet or not.
            let stream = EventStream(plan, shard: shard.streams, socket: socket, isDirect: isDirect)
            let place = codec.first.map { ChannelPipeline.SynchronousOperations.Position.before($0) }
            try http2?.carry(stream, pipeline) ?? pipeline.addHandler(stream, position: place ?? .first)
        } catch {
            plan.seat.map(services.access.streams.giveBack)
            services.streams.giveBack(plan)
            return context.close(promise: nil)
        }
        for handler in codec { pipeline.removeHandler(handler, promise: nil) }
        codec = []
        pipeline.removeHandler(context: context, promise: nil)
    }
}
