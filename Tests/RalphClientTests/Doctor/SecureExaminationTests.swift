import NIOCore
import RalphWire
import Testing

@testable import RalphClient

@Suite(.timeLimit(.minutes(1)))
struct SecureExaminationTests {
    private static let key = "0123456789abcdefghijklmnopqrstuv"

    /// An answer that echoes nothing but looks like `/livez`.
    private static func alive(_ server: String) -> String {
        "HTTP/1.1 200 OK\r\nServer: \(server)\r\nContent-Length: 2\r\n\r\nOK"
    }

    private func examine(_ port: Int, fingerprint: String? = nil) async throws -> [Finding] {
        var limits = ExaminationLimits()
        limits.watch = .milliseconds(300)
        return await RemoteExamination(
            try RemoteAddress("https://127.0.0.1:\(port)"), key: Self.key, fingerprint: fingerprint,
            limits: limits
        ).findings()
    }

    @Test func `a certificate that nobody vouches for is told, and the key is not sent`() async throws {
        let peer = try await SecurePeer.run { _ in Self.alive("x") }
        let findings = try await examine(peer.port)

        let certificates = findings.filter { $0.subject == "certificate" }
        #expect(certificates.map(\.level) == [.warn, .warn])
        #expect(certificates.first?.found.contains(peer.fingerprint) == true)
        #expect(certificates.last?.found == "10 days left")
        #expect(findings.first { $0.subject == "tls" }?.found.contains("1.3") == true)
        #expect(findings.last?.found.hasPrefix("not sent") == true)
        try await peer.close()
    }

    @Test func `the expected certificate is accepted, in whatever spelling`() async throws {
        let peer = try await SecurePeer.run { _ in Self.alive("\(Self.key) \u{1B}") }
        let spelled = peer.fingerprint.uppercased().map { String($0) }.joined(separator: ":")
        let findings = try await examine(peer.port, fingerprint: spelled)

        #expect(findings.contains { $0.subject == "certificate" && $0.found.hasPrefix("the expected one") })
        #expect(findings.contains { $0.subject == "livez" })
        #expect(!findings.contains { $0.text.contains(Self.key) })
        try await peer.close()
    }

    @Test func `a peer that says no farewell is watched no longer than it was to be`() async throws {
        let peer = try await SecurePeer.run(readsOn: false) { _ in
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 1\n\n"
        }
        var limits = ExaminationLimits()
        limits.watch = .milliseconds(300)
        let dialer = Dialer(
            remote: try RemoteAddress("https://127.0.0.1:\(peer.port)"),
            address: try SocketAddress(ipAddress: "127.0.0.1", port: peer.port), limits: limits)
        let seen = await dialer.watch("/api/events", headers: [], trust: .anything)

        #expect(seen.head != nil)
        #expect(seen.survived)
        #expect(seen.reason == nil)
        // The farewell of TLS is waited for 5 s.
        #expect((.milliseconds(300) ..< .seconds(3)).contains(seen.life), "\(seen.life)")
        try await peer.close()
    }

    @Test func `a port of TLS that answers in plain words with 400 is not called one without`() async throws {
        let peer = try MisbehavingPeer(
            .answers("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
        defer { peer.stop() }
        var limits = ExaminationLimits()
        limits.connect = .milliseconds(300)
        let findings = await RemoteExamination(
            try RemoteAddress("https://127.0.0.1:\(peer.port)"), key: nil, fingerprint: nil, limits: limits
        ).findings()

        #expect(findings.last?.subject == "tls" && findings.last?.level == .fail)
        #expect(!findings.contains { $0.text.contains("plain HTTP is spoken") })
    }

    @Test func `another certificate than the expected one ends it`() async throws {
        let peer = try await SecurePeer.run { _ in Self.alive("x") }
        let findings = try await examine(peer.port, fingerprint: String(repeating: "ab", count: 32))

        #expect(findings.contains { $0.subject == "certificate" && $0.level == .fail })
        #expect(!findings.contains { $0.subject == "livez" })
        try await peer.close()
    }
}
