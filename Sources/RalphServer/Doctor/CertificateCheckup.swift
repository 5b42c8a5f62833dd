import Crypto
import Foundation
import RalphSessions
import RalphWire
import SwiftASN1
import X509

/// The TLS certificate, if one is given or kept in the state directory.
struct CertificateCheckup: FileCheckup {
    let subject = "tls"
    let given: CertificateFiles?
    let state: StateDirectory
    /// Whether a server with these settings speaks TLS.
    let hasTLS: Bool
    /// SHA-256 of the certificate that the running server of this state directory shows; `nil`: it shows none.
    let served: String?

    func look() -> [Finding] {
        guard let given else { return kept() }
        let (finding, fingerprint) = Self.examine(given.certificate)
        let each = [finding] + Self.examine(key: given.key)
        // Of what is no certificate nothing more can be said.
        let pair = each.contains { $0.level == .fail } ? [] : Self.mismatch(given)
        return each + pair + (fingerprint.map { Self.judge($0, served: served) } ?? [])
    }

    /// Whether the running server shows the certificate that lies on the disk.
    static func judge(_ fingerprint: String, served: String?) -> [Finding] {
        guard let served, served != fingerprint else { return [] }
        return [
            .warn(
                "tls", "the running server still shows another one, SHA-256 \(served)",
                "Send it SIGHUP; if it shows that one then, too, it was started with other files.")
        ]
    }

    /// Whether the two belong together, as a server finds out at its start.
    private static func mismatch(_ given: CertificateFiles) -> [Finding] {
        guard let certificate = try? PEMFile.read(given.certificate, isPrivate: false),  // told by the others
            let key = try? PEMFile.read(given.key, isPrivate: false)  // told by the others
        else { return [] }
        do {
            _ = try TLSIdentity(certificate: certificate, key: key)
            return []
        } catch {
            let why =
                switch error {
                case .certificate(let text), .key(let text): text
                }
            return [.fail("tls", "\(given.key): \(why)", "Give the key that belongs to the certificate.")]
        }
    }

    /// What the dates of a certificate say.
    static func judge(
        _ path: String, from start: Date, until end: Date, fingerprint: String, now: Date
    ) -> Finding {
        let days = Int((end.timeIntervalSince(now) / 86_400).rounded(.down))
        let facts = "\(path), SHA-256 \(fingerprint)"
        if now < start {
            return .fail("tls", "\(facts): not valid yet", "Check the clock, or wait for its first day.")
        }
        if now >= end { return .fail("tls", "\(facts): expired", "Renew it and send the server SIGHUP.") }
        let term = CertificateTerm(
            from: Int64(start.timeIntervalSince1970), until: Int64(end.timeIntervalSince1970))
        if term.endsSoon(at: Int64(now.timeIntervalSince1970)) {
            return .warn("tls", "\(facts): \(days) days left", "Renew it and send the server SIGHUP.")
        }
        return .ok("tls", "\(facts): \(days) days left")
    }

    /// The certificate in the state directory, taken as the next start will take it.
    private func kept() -> [Finding] {
        guard FileManager.default.fileExists(atPath: state.certificate) else {
            return [
                .ok(
                    subject,
                    hasTLS ? "a certificate is made at the first start" : "no certificate: plain HTTP")
            ]
        }
        guard hasTLS else {
            return [.ok(subject, "plain HTTP with these settings: \(state.certificate) is not used")]
        }
        let advice = "Paired devices know the server by its certificate: pair them again then."
        guard let kept = SelfSignedCertificate.kept(state) else {
            return [
                .warn(
                    subject,
                    "\(state.certificate) and its key cannot be used: the next start makes others", advice)
            ]
        }
        let now = Date()
        guard kept.validUntil > now + SelfSignedCertificate.reserve else {
            return [
                .warn(subject, "\(state.certificate) ends soon: the next start makes another", advice)
            ]
        }
        return [
            Self.judge(
                state.certificate, from: kept.validFrom, until: kept.validUntil,
                fingerprint: kept.fingerprint, now: now)
        ] + Self.judge(kept.fingerprint, served: served)
    }

    /// What is to be said of a certificate, and its SHA-256; `nil`: it is none.
    private static func examine(_ path: String) -> (Finding, fingerprint: String?) {
        let bytes: Data
        do {
            bytes = try PEMFile.read(path, isPrivate: false)
        } catch {
            let advice = "Check the path and its permissions."
            return (.fail("tls", "\(path): \(error.reason)", advice), nil)
        }
        do {
            let document = try PEMDocument(pemString: firstBlock(String(decoding: bytes, as: UTF8.self)))
            let certificate = try Certificate(derEncoded: document.derBytes)
            let fingerprint = Hexadecimal.text(SHA256.hash(data: document.derBytes))
            let finding = judge(
                path, from: certificate.notValidBefore, until: certificate.notValidAfter,
                fingerprint: fingerprint, now: Date())
            return (finding, fingerprint)
        } catch {
            let advice = "It must begin with one in PEM."
            return (.fail("tls", "\(path) holds no certificate: \(error)", advice), nil)
        }
    }

    private static func examine(key path: String) -> [Finding] {
        let expanded = (path as NSString).expandingTildeInPath
        let real = URL(fileURLWithPath: expanded).resolvingSymlinksInPath().path
        guard let status = EntryStatus(at: real), status.kind == .file, access(real, R_OK) == 0 else {
            return [.fail("tls", "the key \(path) cannot be read", "Check the path and its permissions.")]
        }
        guard !status.isPrivate else { return [] }
        return [
            .fail(
                "tls", "others may read the key \(path) (mode \(FileRights(status).octal))",
                "chmod 600 it, and have a new certificate made.")
        ]
    }

    /// The first PEM block: the certificate itself, before those of its issuers.
    private static func firstBlock(_ text: String) -> String {
        let end = "-----END CERTIFICATE-----"
        guard let start = text.range(of: "-----BEGIN CERTIFICATE-----"), let stop = text.range(of: end),
            start.lowerBound < stop.lowerBound
        else { return text }
        return String(text[start.lowerBound..<stop.upperBound]) + "\n"
    }
}
