import Crypto
import Foundation
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
        // A certificate that cannot be written down is not the one.
        guard let bytes = try? certificate.toDERBytes() else { return false }
        return SHA256.hash(data: Data(bytes)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined() == fingerprint
    }
}
