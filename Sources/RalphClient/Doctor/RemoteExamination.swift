import Foundation
import NIOCore
package import RalphWire

/// `doctor URL`: measures the way to a server from here, through whatever lies in between.
package struct RemoteExamination: Sendable {
    /// How often `/livez` is asked.
    static let probes = 5

    let remote: RemoteAddress
    /// Never shown, and sent only where nobody in between can read it.
    private let key: String?
    private let pin: String?
    private let limits: ExaminationLimits

    /// - Parameter fingerprint: SHA-256 of the certificate to accept, in hexadecimal.
    package init(
        _ remote: RemoteAddress, key: String?, fingerprint: String?, limits: ExaminationLimits = .init()
    ) {
        self.remote = remote
        self.key = key
        pin = fingerprint.map(CertificateFacts.normalized)
        self.limits = limits
    }

    /// Measures; what cannot be measured because something before it failed is left out.
    package func findings() async -> [Finding] {
        var findings: [Finding] = []
        await examine(into: &findings)
        return key.map { key in findings.map { $0.hiding(key) } } ?? findings
    }

    private func examine(into findings: inout [Finding]) async {
        guard let dialer = await connect(&findings) else { return }
        guard let trust = await secure(dialer, &findings) else { return }
        guard await probe(dialer, trust, &findings) else { return }
        await tellCard(dialer, trust, &findings)
        let place = AddressPlace(dialer.address)
        let mayShowKey = remote.isSecure ? trust != .anything : place != .far
        guard let headers = credentials(mayShowKey, &findings) else { return }
        guard await admitted(dialer, trust, headers, &findings) else { return }
        let seen = await dialer.watch(
            "/api/events?replay=none",
            headers: headers + [("Accept", "text/event-stream"), ("Accept-Encoding", "gzip, br")],
            trust: trust)
        findings += StreamRules.judge(seen, limits)
    }

    /// Finds an address that takes connections.
    private func connect(_ findings: inout [Finding]) async -> Dialer? {
        let start = ContinuousClock.now
        let (addresses, problem) = await NameLookup.addresses(
            of: remote.host, port: remote.port, within: limits.lookup)
        guard !addresses.isEmpty else {
            findings.append(
                .fail(
                    "name", "\(remote.host): \(problem ?? "no address")",
                    "Check the spelling and the name server."))
            return nil
        }
        let names = addresses.prefix(4).compactMap(\.ipAddress).joined(separator: ", ")
        findings.append(.ok("name", "\(names) in \(Milliseconds.text(.now - start))"))
        var reason = "no address"
        for address in addresses.prefix(4) {
            let dialer = Dialer(remote: remote, address: address, limits: limits)
            let start = ContinuousClock.now
            do {
                let exchange = try await dialer.open(nil, trust: .anything)
                exchange.close()
                let time = Milliseconds.text(exchange.connectedAt - start)
                findings.append(.ok("connect", "\(address.ipAddress ?? ""):\(remote.port) in \(time)"))
                return dialer
            } catch {
                reason = Dialer.words(error)
            }
        }
        findings.append(
            .fail(
                "connect", "port \(remote.port): \(reason)",
                "Is the server started, with --bind-all, and the port open in the firewall?"))
        return nil
    }

    /// What certificates are accepted from here on; `nil`: nothing more can be asked.
    private func secure(_ dialer: Dialer, _ findings: inout [Finding]) async -> Trust? {
        guard remote.isSecure else {
            let place = AddressPlace(dialer.address)
            findings.append(
                place == .far
                    ? .warn(
                        "tls", "none, and the way leads through networks of others",
                        "Everybody on the way reads along. Use https, or a tailnet.")
                    : .ok(
                        "tls",
                        place == .loopback ? "none; it is this machine" : "none; it is a private network"))
            return .system
        }
        do {
            let facts = try await dialer.handshake()
            findings += TLSRules.judge(facts, pin: pin, now: Int64(Date().timeIntervalSince1970))
            if let pin { return facts.certificate?.fingerprint == pin ? .pinned(pin) : nil }
            return facts.distrust == nil ? .system : .anything
        } catch {
            findings.append(
                await mismatch(dialer, "tls")
                    ?? .fail("tls", error.description, "Is TLS spoken at this port?"))
            return nil
        }
    }

    /// Whether something of our kind answers.
    private func probe(_ dialer: Dialer, _ trust: Trust, _ findings: inout [Finding]) async -> Bool {
        var replies: [Reply] = []
        for _ in 0..<Self.probes {
            do {
                replies.append(try await dialer.get("/livez", trust: trust))
            } catch {
                findings.append(
                    await mismatch(dialer, "livez")
                        ?? .fail("livez", error.description, "Is this a ralph-mobile-server? See its log."))
                return false
            }
            if replies.first?.status != 200 { break }
        }
        let verdict = AnswerRules.judge(probes: replies)
        guard verdict.contains(where: { $0.level == .fail }) else {
            findings += verdict
            return true
        }
        // Some that speak TLS answer in plain words that they do, with 400.
        if !remote.isSecure, replies.first?.status == 400, let mismatch = await mismatch(dialer, "livez") {
            findings.append(mismatch)
        } else {
            findings += verdict
        }
        return false
    }

    /// What to say where TLS is spoken at the port instead of plain HTTP, or the other way round; `nil`: it is not.
    private func mismatch(_ dialer: Dialer, _ subject: String) async -> Finding? {
        let other = Dialer(remote: remote.other, address: dialer.address, limits: limits)
        let (spoken, expected) = remote.isSecure ? ("plain HTTP", "TLS") : ("TLS", "plain HTTP")
        do throws(Dialer.NoAnswer) {
            if remote.isSecure {
                // That is how one that speaks TLS may say so, too.
                guard try await other.get("/livez", trust: .system).status != 400 else { return nil }
            } else {
                _ = try await other.handshake()
            }
        } catch {
            return nil
        }
        return .fail(
            subject, "\(spoken) is spoken at this port, and no \(expected)", "Try \(remote.other.text).")
    }

    /// The headers to send; `nil`: the key must not go this way.
    private func credentials(_ mayShowKey: Bool, _ findings: inout [Finding]) -> [(String, String)]? {
        guard let key else { return [] }
        guard mayShowKey else {
            findings.append(
                .warn(
                    "key", "not sent: somebody in between could read it",
                    "Use https with a certificate that is trusted, or --fingerprint."))
            return nil
        }
        return [("Authorization", "Bearer \(key)")]
    }
}
