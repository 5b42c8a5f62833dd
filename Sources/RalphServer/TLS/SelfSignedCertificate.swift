import Crypto
import Foundation
import RalphSessions
import SwiftASN1
import X509

/// A certificate that we sign ourselves, for servers that no authority knows: clients know it by its
/// fingerprint.
struct SelfSignedCertificate: Sendable {
    /// What ``load(_:at:isInUse:)`` found.
    enum Outcome: Sendable { case kept, made, remade }

    /// Apple's clients take none that is valid for longer than 825 days.
    static let validity: TimeInterval = 820 * 86_400
    /// One that ends sooner is made anew, seconds.
    static let reserve: TimeInterval = 30 * 86_400
    /// How far other clocks may be behind ours, seconds.
    private static let clockError: TimeInterval = 3600

    /// PEM.
    let certificate: String
    /// PEM (PKCS #8), P-256.
    let key: String

    /// A new one for this machine, valid from an hour before `date`.
    init(at date: Date) throws {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("ralph-mobile-server") }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: date - Self.clockError, notValidAfter: date - Self.clockError + Self.validity,
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(CertificateNames.ofThisMachine().general)
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        self.certificate = try certificate.serializeAsPEM().pemString + "\n"
        self.key = key.pemRepresentation + "\n"
    }

    /// The one in the state directory; a new one, stored there, if there is none, if it cannot be used, or if it
    /// ends within ``reserve``.
    ///
    /// - Parameter isInUse: the server runs with one, whose files are not written over because they cannot be used.
    /// - Throws: ``ConfigurationProblem`` if none can be made or stored.
    static func load(
        _ state: StateDirectory, at date: Date, isInUse: Bool
    ) throws(ConfigurationProblem) -> (TLSIdentity, Outcome) {
        let kept = kept(state)
        if let kept {
            if kept.validUntil > date + reserve { return (kept, .kept) }
        } else if isInUse, ![state.certificate, state.certificateKey].allSatisfy(EntryStatus.isAbsent) {
            throw ConfigurationProblem("--tls-self-signed: the pair in \(state.path) cannot be used.")
        }
        let isFirst = !FileManager.default.fileExists(atPath: state.certificate)
        do {
            let made = try Self(at: date)
            // The key first: half of a pair is none, and is made anew.
            let before = kept == nil ? nil : FileManager.default.contents(atPath: state.certificateKey)
            try PrivateFile.replace(state.certificateKey, with: Data(made.key.utf8))
            do {
                try PrivateFile.replace(state.certificate, with: Data(made.certificate.utf8))
            } catch {
                if let before {
                    // So that the pair is one still, which clients know; if that fails as well, it is none.
                    try? PrivateFile.replace(state.certificateKey, with: before)
                } else {
                    _ = unlink(state.certificateKey)
                }
                throw error
            }
            let identity = try TLSIdentity(
                certificate: Data(made.certificate.utf8), key: Data(made.key.utf8))
            return (identity, isFirst ? .made : .remade)
        } catch {
            throw ConfigurationProblem(
                "--tls-self-signed: no certificate can be made and stored in \(state.path):"
                    + " \(SystemReason.text(error) ?? "\(error)").")
        }
    }

    /// The stored one, if it can be used and nobody else could have read its key.
    static func kept(_ state: StateDirectory) -> TLSIdentity? {
        guard let certificate = try? PEMFile.read(state.certificate, isPrivate: false),  // made anew
            let key = try? PEMFile.read(state.certificateKey, isPrivate: true)  // made anew
        else { return nil }
        return try? TLSIdentity(certificate: certificate, key: key)  // made anew
    }
}
