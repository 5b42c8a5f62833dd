import RalphWire

/// What a handshake is worth.
enum TLSRules {
    /// - Parameters:
    ///   - pin: the fingerprint that the user expects; `nil`: none.
    ///   - now: seconds since 1970.
    static func judge(_ facts: HandshakeFacts, pin: String?, now: Int64) -> [Finding] {
        var findings = [version(facts)]
        findings.append(trust(facts, pin: pin))
        if let certificate = facts.certificate { findings.append(dates(certificate, now: now)) }
        findings.append(
            facts.negotiated == "h2"
                ? .ok("http/2", "offered")
                : .ok("http/2", "not offered: HTTP/1.1, where a browser opens six streams at most"))
        return findings
    }

    private static func version(_ facts: HandshakeFacts) -> Finding {
        let names = ["tlsv13": "TLS 1.3", "tlsv12": "TLS 1.2", "tlsv11": "TLS 1.1", "tlsv1": "TLS 1.0"]
        let name = facts.version.map { names[$0] ?? $0 } ?? "an unknown version"
        let text = "\(name), handshake in \(Milliseconds.text(facts.time))"
        let isOld = name != "TLS 1.2" && name != "TLS 1.3"
        return isOld
            ? .warn("tls", text, "Phones refuse what is older than TLS 1.2: raise it where TLS ends.")
            : .ok("tls", text)
    }

    private static func trust(_ facts: HandshakeFacts, pin: String?) -> Finding {
        let fingerprint = facts.certificate?.fingerprint ?? "unknown"
        if let pin {
            return pin == fingerprint
                ? .ok("certificate", "the expected one, SHA-256 \(fingerprint)")
                : .fail(
                    "certificate", "not the expected one: its SHA-256 is \(fingerprint)",
                    "Ask on the server itself (doctor there, or its start lines) before trusting it.")
        }
        guard let distrust = facts.distrust else {
            return .ok("certificate", "trusted by this system, SHA-256 \(fingerprint)")
        }
        return .warn(
            "certificate", "nobody vouches for it (self-signed?): \(distrust); SHA-256 \(fingerprint)",
            "If the server shows the same fingerprint, give it with --fingerprint; until then no key is sent."
        )
    }

    private static func dates(_ certificate: CertificateFacts, now: Int64) -> Finding {
        let days = (certificate.notAfter - now) / 86_400
        if now < certificate.notBefore {
            return .fail("certificate", "not valid yet", "One of the two clocks is wrong.")
        }
        if now >= certificate.notAfter { return .fail("certificate", "expired", "Renew it.") }
        return CertificateTerm(from: certificate.notBefore, until: certificate.notAfter).endsSoon(at: now)
            ? .warn("certificate", "\(days) days left", "Renew it.") : .ok("certificate", "\(days) days left")
    }
}
