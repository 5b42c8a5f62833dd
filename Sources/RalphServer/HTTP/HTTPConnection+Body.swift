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

    /// Over HTTP/2, where a connection holds many, a head of some size counts until its request is answered.
    ///
    /// - Returns: `false` if the request is refused.
    func takeHead(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        let bytes = http2 == nil ? 0 : HeadRules.size(of: head)
        headBytes = bytes < ByteDebts.smallestOfMany ? 0 : bytes
        return headBytes == 0 || owe(headBytes, head, context)
    }

    /// Keeps a part of the body. Once it is large it counts whole, as announced, or as the largest there may be; over
    /// HTTP/2, where a connection holds many, it counts before: without a length as one that is just not large.
    func take(_ part: ByteBuffer, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let bytes = body.readableBytes + part.readableBytes
        guard bytes <= bodyLimit else { return refuse(.bodyTooLarge(limit: bodyLimit), head, context) }
        if bytes >= (http2 == nil ? ByteDebts.smallest : ByteDebts.smallestOfMany),
            headBytes + bytes > bodyDebt?.bytes ?? 0
        {
            let whole =
                HeadRules.length(of: head) ?? (bytes < ByteDebts.smallest ? ByteDebts.smallest : bodyLimit)
            guard owe(headBytes + whole, head, context) else { return }
        }
        body.writeImmutableBuffer(part)
    }

    private func owe(_ bytes: Int, _ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> Bool {
        payForBody()
        do throws(Problem) {
            bodyDebt = try services.access.bodies.owe(
                bytes, caller, at: network(of: caller), isOneOfMany: http2 != nil)
            return true
        } catch {
            refuse(error, head, context)
            return false
        }
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
