import Crypto
import Foundation
import NIOSSL
import RalphWire

/// What matters of a server's own certificate.
struct CertificateFacts: Sendable, Equatable {
    /// SHA-256 of the certificate in hexadecimal.
    let fingerprint: String
    /// Seconds since 1970.
    let notBefore: Int64
    /// Seconds since 1970.
    let notAfter: Int64

    init(fingerprint: String, notBefore: Int64, notAfter: Int64) {
        self.fingerprint = fingerprint
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// `nil` if it cannot be written down.
    init?(_ certificate: NIOSSLCertificate) {
        guard let fingerprint = Self.fingerprint(of: certificate) else { return nil }
        self.init(
            fingerprint: fingerprint, notBefore: Int64(certificate.notValidBefore),
            notAfter: Int64(certificate.notValidAfter))
    }

    /// SHA-256 of the certificate in hexadecimal; `nil` if it cannot be written down.
    static func fingerprint(of certificate: NIOSSLCertificate) -> String? {
        // One that came over the wire can be written again, unless memory is short.
        guard let bytes = try? certificate.toDERBytes() else { return nil }
        return Hexadecimal.text(SHA256.hash(data: Data(bytes)))
    }

    /// A fingerprint as people write them, in lower case and without separators.
    static func normalized(_ fingerprint: String) -> String {
        fingerprint.lowercased().filter { $0.isHexDigit }
    }
}
