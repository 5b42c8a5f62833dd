import NIOCore
import NIOSSL

/// Takes one certificate and no other, whoever issued it and whatever names it has.
struct CertificatePin: Sendable {
    /// SHA-256 in hexadecimal, small letters.
    private let fingerprint: String

    init(_ fingerprint: String) { self.fingerprint = fingerprint.lowercased() }

    /// The handler that begins a connection on which nothing else matters.
    func makeHandler() throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Our own check stands in for that of names and issuers.
        configuration.certificateVerification = .noHostnameVerification
        return try makeHandler(NIOSSLContext(configuration: configuration), serverName: nil)
    }

    /// - Parameters:
    ///   - context: does not verify names.
    ///   - serverName: for SNI.
    func makeHandler(_ context: NIOSSLContext, serverName: String?) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverName) { chain, promise in
            let own = chain.first.flatMap(CertificateFacts.fingerprint)
            promise.succeed(own == fingerprint ? .certificateVerified : .failed)
        }
    }
}
