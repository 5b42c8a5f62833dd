import Crypto
import Foundation
import NIOCore
import NIOSSL
import RalphWire

/// A certificate with its private key, checked, and what handshakes need of them.
struct TLSIdentity: Sendable {
    /// The name of HTTP/2 in a handshake (RFC 9113, 3.1).
    static let http2 = "h2"
    /// Protocols that are offered in a handshake, the preferred one first (RFC 7301).
    static let protocols = [http2, "http/1.1"]
    /// For TLS 1.2: forward secrecy and authenticated encryption only, as HTTP/2 wants it (RFC 9113, 9.2.2).
    private static let ciphers: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    let context: NIOSSLContext
    /// SHA-256 of the leaf certificate (DER), 64 hexadecimal digits.
    let fingerprint: String
    let validFrom: Date
    let validUntil: Date

    /// - Parameters:
    ///   - certificate: PEM: the leaf, and the chain behind it.
    ///   - key: PEM, not encrypted.
    /// - Throws: ``TLSProblem`` that says which of the two cannot be used.
    init(certificate: Data, key: Data) throws(TLSProblem) {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate)) } catch {
            throw .certificate("it holds no certificate in PEM form")
        }
        guard let leaf = chain.first, let bytes = try? leaf.toDERBytes() else {  // what has no bytes is none
            throw .certificate("it holds no certificate in PEM form")
        }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(bytes: Array(key), format: .pem) } catch {
            throw .key("it holds no private key in PEM form, or one that needs a passphrase")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = Self.ciphers
        configuration.applicationProtocols = Self.protocols
        // The client's farewell is waited for no longer than a shutdown may take behind the limit for answers.
        configuration.shutdownTimeout = .milliseconds(300)
        do { context = try NIOSSLContext(configuration: configuration) } catch {
            throw .key("it does not belong to the certificate")
        }
        fingerprint = Hexadecimal.text(SHA256.hash(data: bytes))
        validFrom = Date(timeIntervalSince1970: TimeInterval(leaf.notValidBefore))
        validUntil = Date(timeIntervalSince1970: TimeInterval(leaf.notValidAfter))
    }

    private var term: CertificateTerm {
        CertificateTerm(
            from: Int64(validFrom.timeIntervalSince1970), until: Int64(validUntil.timeIntervalSince1970))
    }

    /// What clients hold against the certificate at `date`, or soon will, in words; `nil`: nothing.
    ///
    /// - Parameter isOurs: we signed it ourselves.
    func complaint(at date: Date, isOurs: Bool) -> String? {
        if date < validFrom { return "The TLS certificate is not valid yet: its time begins at \(validFrom)" }
        if date > validUntil { return "The TLS certificate has expired: its time ended at \(validUntil)" }
        guard term.endsSoon(at: Int64(date.timeIntervalSince1970)) else { return nil }
        let advice =
            isOurs
            ? "SIGHUP or a restart makes another, and devices must be paired again"
            : "renew it and send the server SIGHUP"
        return "The TLS certificate ends soon, at \(validUntil): \(advice)"
    }
}
