import Foundation
import NIOHTTP1
import RalphTestSupport
import Testing

@testable import RalphClient

@Suite(.timeLimit(.minutes(1)))
struct ServerConnectionTests {
    @Test func `a server that is not there is told in one sentence`() async throws {
        let connection = ServerConnection(host: "127.0.0.1", port: 1, key: "k")

        let error = await #expect(throws: ServerConnectionError.self) {
            try await connection.send("GET", "/api/devices")
        }
        #expect(error?.description == "127.0.0.1 port 1 does not answer: Connection refused.")
    }

    @Test(arguments: [
        ("fe80::1%eth0", "[fe80::1]:80"), ("::1", "[::1]:80"), ("my_host", "my_host:80"),
    ])
    func `the zone of an address is no part of Host`(host: String, header: String) {
        let head = ServerConnection(host: host, port: 80, key: "k").head("GET", "/", nil)

        #expect(head.headers["host"] == [header])
    }

    @Test func `a server that closes behind its answer is heard each time`() async throws {
        let peer = try MisbehavingPeer(
            .answers("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"))
        defer { peer.stop() }
        let connection = ServerConnection(host: "127.0.0.1", port: peer.port, key: "k")

        for _ in 1...500 { #expect(try await connection.send("GET", "/").body == Data("{}".utf8)) }
    }

    @Test(.enabled(if: Program("openssl") != nil, "openssl is not installed"))
    func `the certificate with the right fingerprint is taken whoever issued it`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSLServer(in: directory)
            let connection = ServerConnection(
                host: "127.0.0.1", port: server.port, key: "k", fingerprint: server.fingerprint)

            #expect(try await connection.send("GET", "/").status == 200)
        }
    }

    @Test(.enabled(if: Program("openssl") != nil, "openssl is not installed"))
    func `any other certificate is refused before the key is sent`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await OpenSSLServer(in: directory)
            let connection = ServerConnection(
                host: "127.0.0.1", port: server.port, key: "secret-key",
                fingerprint: String(repeating: "0", count: 64))

            await #expect(throws: ServerConnectionError.self) { try await connection.send("GET", "/") }
            #expect(!server.output.contains("secret-key"))
        }
    }
}
