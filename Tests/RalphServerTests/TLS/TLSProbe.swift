import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import RalphTestSupport
import Synchronization

/// Handshakes with a server on this machine.
enum TLSProbe {
    /// What a handshake came to.
    final class Outcome: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = ByteBuffer

        let agreed: EventLoopPromise<String?>

        init(_ agreed: EventLoopPromise<String?>) { self.agreed = agreed }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .handshakeCompleted(let name)? = event as? TLSUserEvent { agreed.succeed(name) }
            context.fireUserInboundEventTriggered(event)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            agreed.fail(error)
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            agreed.fail(ChannelError.eof)
            context.fireChannelInactive()
        }
    }

    /// How a connection came to its end; stands next to TLS.
    final class Ending: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        /// Whether it ended in another way than the other end's word that this is all.
        let hasFailed = Mutex(false)

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            hasFailed.withLock { $0 = true }
            context.fireErrorCaught(error)
        }
    }

    /// A connection for HTTP/1.1, and how it ends.
    static func connect(port: Int) async throws -> (channel: any Channel, ending: Ending) {
        let ending = Ending()
        let channel = try await connect(port: port, protocols: ["http/1.1"]) { channel in
            let pipeline = channel.pipeline.syncOperations
            let tls = try pipeline.handler(type: NIOSSLClientHandler.self)
            try pipeline.addHandler(ending, position: .after(tls))
        }
        return (channel, ending)
    }

    /// A connection whose handshake is done; certificates are not looked at. `setUp` adds what comes behind TLS.
    static func connect(
        port: Int, protocols: [String], setUp: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> any Channel {
        try await shakeHands(port: port, protocols: protocols, versions: 12...13, setUp).channel
    }

    /// The protocol agreed on; `nil`: none was.
    static func agreed(port: Int, protocols: [String], versions: ClosedRange<Int> = 12...13) async throws
        -> String?
    {
        let (channel, agreed) = try await shakeHands(port: port, protocols: protocols, versions: versions)
        try await channel.close()
        return agreed
    }

    /// The certificate that a new handshake shows, in DER.
    static func certificate(port: Int) async throws -> [UInt8] {
        let channel = try await connect(port: port, protocols: [])
        let bytes = try await channel.eventLoop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
            return try handler.peerCertificate?.toDERBytes() ?? []
        }.get()
        try await channel.close()
        return bytes
    }

    private static func shakeHands(
        port: Int, protocols: [String], versions: ClosedRange<Int>,
        _ setUp: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> (channel: any Channel, agreed: String?) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = protocols
        configuration.minimumTLSVersion = version(versions.lowerBound)
        configuration.maximumTLSVersion = version(versions.upperBound)
        let context = try NIOSSLContext(configuration: configuration)
        let agreed = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String?.self)
        let channel = try await ClientBootstrap(group: agreed.futureResult.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLClientHandler(context: context, serverHostname: nil), Outcome(agreed),
                    ])
                    try setUp(channel)
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return (channel, try await agreed.futureResult.get())
    }

    private static func version(_ number: Int) -> TLSVersion {
        switch number {
        case 10: .tlsv1
        case 11: .tlsv11
        case 12: .tlsv12
        default: .tlsv13
        }
    }
}
