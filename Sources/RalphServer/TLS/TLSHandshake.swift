import NIOCore
import NIOTLS

/// The time between a connection and the first byte of HTTP on it: waits for the handshake, and hands the channel
/// to the protocol that it agreed on.
///
/// What is no handshake ends the connection without a word: the other end does not speak TLS. Confined to its
/// event loop.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler, ShardMember {
    typealias InboundIn = ByteBuffer

    private let shard: ConnectionShard
    private let finish: (any Channel, String?) throws -> Void
    /// The second of the shard's clock at which patience ends.
    private let deadline: Int64
    private var context: ChannelHandlerContext?

    /// - Parameter finish: adds the handlers of the protocol agreed on (`nil`: none was) behind this one.
    init(shard: ConnectionShard, limits: HTTPLimits, finish: @escaping (any Channel, String?) throws -> Void)
    {
        self.shard = shard
        self.finish = finish
        deadline = shard.seconds + limits.headSeconds
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        shard.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        shard.remove(self)
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let agreed)? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        do {
            try finish(context.channel, agreed)
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        } catch {
            context.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func tick(second: Int64) {
        if second >= deadline { context?.close(promise: nil) }
    }

    func drain() { context?.close(promise: nil) }
}
