import Crypto
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// A TLS server with a certificate that nobody vouches for; it answers every request with the same bytes.
struct SecurePeer {
    let port: Int
    /// SHA-256 of its certificate in hexadecimal.
    let fingerprint: String
    private let channel: any Channel

    /// - Parameters:
    ///   - readsOn: whether it reads what comes behind the first request, such as a farewell.
    ///   - answer: what to say to a request, from the fingerprint.
    static func run(
        readsOn: Bool = true, _ answer: @escaping @Sendable (String) -> String
    ) async throws -> SecurePeer {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("test") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date() - 80 * 86_400, notValidAfter: Date() + 10 * 86_400 + 60, issuer: name,
            subject: name, signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(),
            issuerPrivateKey: .init(key))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(try certificate.serializeAsPEM().pemString.utf8))
        let bytes = try chain[0].toDERBytes()
        let fingerprint = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem)))
        let context = try NIOSSLContext(configuration: configuration)
        let text = answer(fingerprint)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(Answering(text: text, readsOn: readsOn))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SecurePeer(
            port: channel.localAddress?.port ?? 0, fingerprint: fingerprint, channel: channel)
    }

    /// Listens no more.
    func close() async throws { try await channel.close() }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let text: String
        private let readsOn: Bool

        init(text: String, readsOn: Bool) { (self.text, self.readsOn) = (text, readsOn) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if !readsOn { _ = context.channel.setOption(.autoRead, value: false) }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
