import RalphTestSupport
import RalphWire
import Testing

@testable import RalphClient

/// `doctor URL` against a real server and against peers that misbehave.
@Suite(.timeLimit(.minutes(1)))
struct RemoteExaminationTests {
    private func examine(
        _ port: Int, key: String? = nil, watch: Duration = .milliseconds(300), scheme: String = "http",
        _ change: (inout ExaminationLimits) -> Void = { _ in }
    ) async throws -> [Finding] {
        var limits = ExaminationLimits()
        limits.watch = watch
        limits.firstByte = .milliseconds(200)
        change(&limits)
        return await RemoteExamination(
            try RemoteAddress("\(scheme)://127.0.0.1:\(port)"), key: key, fingerprint: nil, limits: limits
        ).findings()
    }

    private func finding(_ subject: String, _ findings: [Finding]) -> Finding? {
        findings.first { $0.subject == subject }
    }

    @Test func `a server without anything in between has nothing to mend`() async throws {
        try await withMeasuredServer { port in
            let findings = try await examine(port)

            #expect(findings.allSatisfy { $0.level == .ok }, "\(findings.map(\.text))")
            #expect(
                findings.map(\.subject).filter { $0 != "between" && $0 != "transform" } == [
                    "name", "connect", "tls", "livez", "server", "key", "clock", "buffering", "idle",
                ])
            #expect(finding("buffering", findings)?.found.contains("none") == true)
        }
    }

    @Test func `keep-alives are waited for in their rhythm`() async throws {
        try await withMeasuredServer(keepAliveSeconds: 1) { port in
            let findings = try await examine(port, watch: .milliseconds(2500)) {
                $0.keepAlive = .seconds(1)
                $0.slack = .milliseconds(1200)
            }
            #expect(finding("buffering", findings)?.found.contains("never silent") == true)
            #expect(finding("idle", findings)?.level == .ok)
        }
        try await withMeasuredServer { port in
            let late = try await examine(port, watch: .milliseconds(900)) {
                $0.keepAlive = .milliseconds(300)
                $0.slack = .milliseconds(200)
            }
            #expect(finding("buffering", late)?.level == .fail)
        }
    }

    @Test func `a key is accepted, refused or missing, and never shown`() async throws {
        let key = "0123456789abcdefghijklmnopqrstuv"
        try await withMeasuredServer(key: key) { port in
            let right = try await examine(port, key: key)
            let wrong = try await examine(port, key: "wrong-" + key)
            let none = try await examine(port)

            #expect(finding("key", right)?.level == .ok)
            #expect(finding("idle", right)?.level == .ok)
            #expect(finding("key", wrong)?.level == .fail)
            #expect(finding("key", none)?.level == .warn)
            #expect(finding("idle", none) == nil)
            #expect(!(right + wrong + none).contains { $0.text.contains(key) })
        }
    }

    @Test func `where none is asked for, no key is told as accepted`() async throws {
        try await withMeasuredServer { port in
            let found = try await finding("key", examine(port, key: "no-key-of-this-server"))

            #expect(found?.found == "none is needed from here")
        }
    }

    @Test func `a proxy that holds bytes back is told`() async throws {
        try await withMeasuredServer { port in
            let proxy = try MisbehavingPeer(.holdsBack(port: port))
            defer { proxy.stop() }
            let findings = try await examine(proxy.port)

            #expect(finding("livez", findings)?.level == .ok)
            #expect(finding("buffering", findings)?.level == .fail)
            #expect(finding("buffering", findings)?.found.contains("no byte") == true)
            #expect(finding("buffering", findings)?.advice?.contains("proxy_buffering off") == true)
        }
    }

    @Test func `a proxy that cuts quiet connections is told with the time`() async throws {
        try await withMeasuredServer { port in
            let proxy = try MisbehavingPeer(.cuts(port: port, milliseconds: 1000))
            defer { proxy.stop() }
            let findings = try await examine(proxy.port, watch: .seconds(5))

            let idle = try #require(finding("idle", findings))
            #expect(idle.level == .fail)
            // What of the second had passed before the head was read, a busy machine decides.
            let time = try #require(idle.found.wholeMatch(of: /cut after (\d+\.\d s|\d{3} ms).*/)?.1)
            #expect(time.hasSuffix(" ms") || time.hasPrefix("1."))
        }
    }

    @Test func `a redirect is told with its place, escaped`() async throws {
        let peer = try MisbehavingPeer(
            .answers(
                "HTTP/1.1 302 Found\r\nLocation: https://e.example/\u{9B}2J\r\nContent-Length: 0\r\n\r\n"))
        defer { peer.stop() }
        let findings = try await examine(peer.port)

        #expect(finding("livez", findings)?.level == .fail)
        #expect(finding("livez", findings)?.found.contains("https://e.example/") == true)
        #expect(!findings.contains { $0.text.contains("\u{9B}") })
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.6\r\n", "\u{0}\u{1}\u{2}", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nOK",
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnope", "", "HTTP/1.1 99999999999 X\r\n\r\n",
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
    ])
    func `what is no server of ours fails without harm`(answer: String) async throws {
        let peer = try MisbehavingPeer(.answers(answer))
        defer { peer.stop() }
        let findings = try await examine(peer.port)

        #expect(findings.last?.subject == "livez")
        #expect(findings.last?.level == .fail)
    }

    @Test func `a peer that says nothing costs its deadline and no more`() async throws {
        let peer = try MisbehavingPeer(.silent)
        defer { peer.stop() }
        let clock = ContinuousClock.now
        let findings = try await examine(peer.port) {
            $0.answer = .milliseconds(200)
            $0.connect = .milliseconds(200)
        }
        let secure = try await examine(peer.port, scheme: "https") { $0.connect = .milliseconds(200) }

        #expect(findings.last?.level == .fail)
        #expect(secure.last?.subject == "tls")
        #expect(ContinuousClock.now - clock < .seconds(20))
    }

    @Test func `nobody who listens, and a name without an address, end it`() async throws {
        let closed = try await examine(1)
        let nameless = await RemoteExamination(
            try RemoteAddress("http://host.invalid:8080"), key: nil, fingerprint: nil
        ).findings()

        #expect(closed.map(\.level) == [.ok, .fail])
        #expect(nameless.map(\.subject) == ["name"])
        #expect(nameless.first?.level == .fail)
    }
}
