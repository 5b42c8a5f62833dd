import Foundation
import RalphServer
import RalphTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HandshakeTests {
    @Test(arguments: [12, 13])
    func `TLS 1_2 and 1_3 are spoken`(version: Int) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let agreed = try await TLSProbe.agreed(
                port: server.port, protocols: ["h2"], versions: version...version)

            #expect(agreed == "h2")
        }
    }

    @Test(arguments: [10...10, 11...11, 10...11])
    func `older versions are refused`(versions: ClosedRange<Int>) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            await #expect(throws: (any Error).self) {
                try await TLSProbe.agreed(port: server.port, protocols: ["h2"], versions: versions)
            }
        }
    }

    @Test(arguments: [
        (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"),
        ([], nil), (["spdy/3"], nil),
    ])
    func `the protocol is the best that both speak`(offered: [String], agreed: String?) async throws {
        try await withServer({ $0.tls = .selfSigned }) { server in
            let outcome = try await TLSProbe.agreed(port: server.port, protocols: offered)

            #expect(outcome == agreed)
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}",
        "\u{16}\u{3}\u{1}\u{0}\u{5}hello",
    ])
    func `what is no handshake gets no answer but the end`(text: String) async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.headSeconds = 2
        }) { server in
            let probe = try server.probe()
            try await probe.send(text)
            try await probe.waitForClose()

            #expect(!String(decoding: probe.unread, as: UTF8.self).contains("HTTP"))
            #expect(try await HTTP2Probe(port: server.port).get("/health").status == 200)
        }
    }

    @Test func `random bytes and half handshakes do no harm`() async throws {
        try await withServer({
            $0.tls = .selfSigned
            $0.http.headSeconds = 2
        }) { server in
            var numbers = SeededGenerator(seed: 20_261_121)
            for round in 0..<60 {
                let probe = try server.probe()
                let noise = (0..<Int.random(in: 1...700, using: &numbers)).map { _ in
                    UInt8.random(in: 0...255, using: &numbers)
                }
                // Every other one begins as a ClientHello does.
                let begin: [UInt8] = round % 2 == 0 ? [] : [0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3]
                // A connection that is refused early takes no more bytes.
                try? await probe.send(begin + noise)
                probe.closeSending()
            }
            #expect(try await HTTP2Probe(port: server.port).get("/health").status == 200)
            try await expectNoOthers(server)
        }
    }

    /// Waits until the only connection is the one that asks.
    private func expectNoOthers(_ server: RunningServer) async throws {
        let probe = try await HTTP2Probe(port: server.port)
        try await eventually(within: .seconds(10), "end of all other connections") {
            let lines = try await probe.get("/metrics").text.split(separator: "\n")
            return lines.contains("ralph_mobile_connections_open 1")
        }
    }
}
