import NIOCore
import NIOHTTP1
import RalphTestSupport
import Testing

@testable import RalphServer

/// Whom a request comes from, and what it may say of that itself.
@Suite(.timeLimit(.minutes(1)))
struct PeerTests {
    @Test(arguments: [
        ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", ""), ("x-forwarded-host", "localhost"),
        ("Forwarded", "for=127.0.0.1"), ("Via", "1.1 tunnel"), ("CF-Connecting-IP", "127.0.0.1"),
        ("Cf-Ray", "8a"), ("X-Real-IP", "::1"), ("True-Client-IP", "127.0.0.1"), ("Client-IP", "127.0.0.1"),
        ("Tailscale-User-Login", "a@b.example"), ("Tailscale-Funnel-Request", "?1"), ("Fly-Client-IP", "1"),
        ("X-Forwarded-Ssl", "on"), ("X-Original-Host", "a"), ("X-Amzn-Trace-Id", "1"), ("CDN-Loop", "a"),
        ("X-Envoy-External-Address", "1"), ("X-Vercel-Forwarded-For", "1"), ("Ngrok-Agent-Ips", "1"),
    ])
    func `what somebody passed on is remote even over loopback`(_ name: String, _ value: String) async throws
    {
        try await withServer { server in
            try await server.expect(200, "/api/sessions")
            try await server.expect(401, "/api/sessions", headers: [name: value])
            try await server.expect(401, post: "/api/sessions", "{}", headers: [name: value])
        }
    }

    @Test(arguments: [
        "Cookie", "User-Agent", "Accept", "X-Requested-With", "Content-Language", "From", "Priority",
    ])
    func `other headers make nobody remote`(_ name: String) async throws {
        try await withServer { server in
            try await server.expect(200, "/api/sessions", headers: [name: "x"])
        }
    }

    @Test(arguments: ["mac.local", "evil.local:8080", "192.168.1.7", "6.6.6.6:80", "[fe80::1]", "0.0.0.0"])
    func `who calls this machine by another name over loopback is no local client`(_ host: String)
        async throws
    {
        try await withServer { server in
            let probe = try server.probe()
            try await probe.send("GET /api/sessions HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let status = try await probe.response().status
            #expect(status == 401)
        }
    }

    @Test(arguments: [
        "localhost", "LOCALHOST.:8080", "a.localhost", "127.0.0.1:8080", "127.9.9.9", "[::1]:80",
    ])
    func `loopback's own names are local`(_ host: String) {
        #expect(Self.peer("127.0.0.1").behindProxies(["Host": host], trusted: []).isLocal)
    }

    @Test(arguments: [
        ("10.0.0.2", "203.0.113.9", "203.0.113.9"), ("10.0.0.2", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.2", "127.0.0.1, 203.0.113.9, 10.0.0.3", "203.0.113.9"), ("10.0.0.2", "10.0.0.3", "10.0.0.3"),
        ("10.0.0.2", "unknown", "10.0.0.2"), ("10.0.0.2", "", "10.0.0.2"),
        ("10.0.0.2", "1.2.3.4:5", "1.2.3.4"), ("10.0.0.2", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.2", "[2001:db8::1]", "2001:db8::1"), ("10.0.0.2", "2001:db8::1:4711", "2001:db8::1:4711"),
        ("10.0.0.2", "6.6.6.6, 203.0.113.9:80, 10.0.0.3:81", "203.0.113.9"),
        ("10.0.0.2", "[fe80::1%eth0]:80", "fe80::1"), ("10.0.0.2", "1.2.3.4:", "10.0.0.2"),
        ("10.0.0.2", "1.2.3.4:x", "10.0.0.2"), ("10.0.0.2", "1.2.3.4:65536", "10.0.0.2"),
        ("10.0.0.2", "[2001:db8::1", "10.0.0.2"), ("10.0.0.2", "[2001:db8::1]80", "10.0.0.2"),
        ("10.0.0.2", "[]:80", "10.0.0.2"), ("10.0.0.2", ":80", "10.0.0.2"),
        ("203.0.113.7", "127.0.0.1", "203.0.113.7"), ("10.0.0.2", "127.0.0.1", "127.0.0.1"),
    ])
    func `only trusted proxies are believed and only from the right`(
        _ from: String, _ value: String, _ client: String
    ) throws {
        let trusted = [try #require(AddressRange("10.0.0.0/8"))]
        let peer = Self.peer(from).behindProxies(
            ["X-Forwarded-For": value, "Host": "localhost"], trusted: trusted)

        #expect(peer.text == client)
        #expect(!peer.isLocal)
    }

    @Test func `a name that cannot be read is no address of this machine`() {
        for host in ["", "mac", "[::1", "127.0.0.1.nip.io", "a@127.0.0.1"] {
            #expect(!Self.peer("127.0.0.1").behindProxies(["Host": host], trusted: []).isLocal)
            #expect(!Self.peer("unknown").behindProxies(["Host": host], trusted: []).isLocal)
        }
    }

    @Test func `of the headers of proxies only one is believed`() throws {
        let trusted = [try #require(AddressRange("10.0.0.0/8"))]
        for (name, value) in [("Forwarded", "for=203.0.113.9"), ("X-Real-IP", "203.0.113.9")] {
            #expect(Self.peer("10.0.0.2").behindProxies([name: value], trusted: trusted).text == "10.0.0.2")
        }
    }

    @Test func `several lines are one list`() throws {
        let trusted = [try #require(AddressRange("10.0.0.0/8"))]
        let headers = HTTPHeaders([
            ("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.9"),
            ("x-forwarded-for", "10.0.0.4"),
        ])
        #expect(Self.peer("10.0.0.2").behindProxies(headers, trusted: trusted).text == "203.0.113.9")
    }

    private static func peer(_ address: String) -> Peer {
        // An address that cannot be read makes the test fail by its text.
        Peer(try? SocketAddress(ipAddress: address, port: 1))
    }
}
