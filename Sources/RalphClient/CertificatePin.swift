import NIOCore
import NIOSSL

/// Takes one certificate and no other, whoever issued it and whatever names it has.
struct CertificatePin: Sendable {
    /// SHA-256 in hexadecimal, small letters.
    private let fingerprint: String

    init(_ fingerprint: String) { self.fingerprint = fingerprint.lowercased() }

    /// The handler that begins a connection.
    func makeHandler() throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Our own check stands in for that of names and issuers.
        configuration.certificateVerification = .noHostnameVerification
        return try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: configuration), serverHostname: nil,
            customVerificationCallback: { chain, promise in
                promise.succeed(chain.first.map(isPinned) == true ? .certificateVerified : .failed)
            })
    }

    private func isPinned(_ certificate: NIOSSLCertificate) -> Bool {
        CertificateFacts.fingerprint(of: certificate) == fingerprint
    }
}
