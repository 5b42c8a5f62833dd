import NIOCore
import NIOHTTP1
import RalphWire

/// The body of the request in hand.
extension HTTPConnection {
    /// Who has no right gets no memory either: what anybody may send is short.
    var bodyLimit: Int {
        caller.scope == nil
            ? min(HTTPLimits.maximumStrangerBodyBytes, services.limits.maximumBodyBytes)
            : services.limits.maximumBodyBytes
    }

    /// Keeps a part of the body. Once it is large it counts whole, as announced, or as the largest there may be; over
    /// HTTP/2, where a connection holds many, it counts before: without a length as one that is just not large.
    func take(_ part: ByteBuffer, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let bytes = body.readableBytes + part.readableBytes
        guard bytes <= bodyLimit else { return refuse(.bodyTooLarge(limit: bodyLimit), head, context) }
        if bytes >= (http2 == nil ? ByteDebts.smallest : ByteDebts.smallestOfMany),
            bytes > bodyDebt?.bytes ?? 0
        {
            let whole =
                HeadRules.length(of: head) ?? (bytes < ByteDebts.smallest ? ByteDebts.smallest : bodyLimit)
            payForBody()
            do throws(Problem) {
                bodyDebt = try services.access.bodies.owe(
                    whole, caller, at: network(of: caller), isOneOfMany: http2 != nil)
            } catch {
                return refuse(error, head, context)
            }
        }
        body.writeImmutableBuffer(part)
    }

    /// Nobody needs the body any more.
    func dropBody() {
        body = ByteBuffer()
        payForBody()
    }

    private func payForBody() {
        bodyDebt.map(services.access.bodies.pay)
        bodyDebt = nil
    }
}
