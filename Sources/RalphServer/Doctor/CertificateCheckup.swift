import Crypto
import Foundation
import RalphSessions
import RalphWire
import SwiftASN1
import X509

/// The TLS certificate, if one is given or kept in the state directory.
struct CertificateCheckup: FileCheckup {
    /// Days before its end from which on it is told.
    static let fewDays = 14
    private static let maximumBytes = 1 << 20

    let subject = "tls"
    let given: CertificateFiles?
    let state: StateDirectory
    /// Whether a server with these settings speaks TLS.
    let hasTLS: Bool

    func look() -> [Finding] {
        guard let given else { return kept() }
        let each = [Self.examine(given.certificate)] + Self.examine(key: given.key)
        // Of what is no certificate nothing more can be said.
        return each.contains { $0.level == .fail } ? each : each + Self.mismatch(given)
    }

    /// Whether the two belong together, as a server finds out at its start.
    private static func mismatch(_ given: CertificateFiles) -> [Finding] {
        func bytes(_ path: String) -> Data? {
            BoundedFile.read(
                URL(fileURLWithPath: expanded(path)).resolvingSymlinksInPath().path,
                maximumBytes: maximumBytes
            ).map { Data($0) }
        }
        // What cannot be read is told by the others.
        guard let certificate = bytes(given.certificate), let key = bytes(given.key) else { return [] }
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
        if days < fewDays {
            return .warn("tls", "\(facts): \(days) days left", "Renew it and send the server SIGHUP.")
        }
        return .ok("tls", "\(facts): \(days) days left")
    }

    /// Certificates in the state directory, under whatever name.
    private func kept() -> [Finding] {
        // A directory that cannot be listed is told elsewhere.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: state.path)) ?? []
        let paths = names.sorted().filter { $0.hasSuffix(".pem") || $0.hasSuffix(".crt") }
            .map { state.path + "/" + $0 }
            .filter { path in
                BoundedFile.read(path, maximumBytes: Self.maximumBytes).map {
                    String(decoding: $0, as: UTF8.self).contains("BEGIN CERTIFICATE")
                } ?? false
            }
        guard !paths.isEmpty else {
            return [
                .ok(
                    subject,
                    hasTLS ? "a certificate is made at the first start" : "no certificate: plain HTTP")
            ]
        }
        return paths.prefix(4).map(Self.examine)
    }

    private static func examine(_ path: String) -> Finding {
        guard let bytes = BoundedFile.read(expanded(path), maximumBytes: maximumBytes) else {
            return .fail("tls", "\(path) cannot be read", "Check the path and its permissions.")
        }
        do {
            let document = try PEMDocument(pemString: firstBlock(String(decoding: bytes, as: UTF8.self)))
            let certificate = try Certificate(derEncoded: document.derBytes)
            return judge(
                path, from: certificate.notValidBefore, until: certificate.notValidAfter,
                fingerprint: Secret.hex(SHA256.hash(data: document.derBytes)), now: Date())
        } catch {
            return .fail("tls", "\(path) holds no certificate: \(error)", "It must begin with one in PEM.")
        }
    }

    private static func examine(key path: String) -> [Finding] {
        let real = URL(fileURLWithPath: expanded(path)).resolvingSymlinksInPath().path
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

    private static func expanded(_ path: String) -> String { (path as NSString).expandingTildeInPath }
}
