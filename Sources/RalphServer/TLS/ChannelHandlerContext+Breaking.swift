import NIOCore
import NIOSSL

extension ChannelHandlerContext {
    /// Closes the connection without the alert of TLS that what was sent is all (RFC 8446, 6.1), whose answer would be
    /// waited for. On the event loop.
    func breakConnection() {
        // Fails where there is no TLS: then nothing would be said.
        let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? self).close(promise: nil)
    }
}
