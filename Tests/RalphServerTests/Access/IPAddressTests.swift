import NIOCore
import NIOHTTP1
import Testing

@testable import RalphServer

/// Literals of addresses (`inet_pton(3)`), and what only begins as one.
struct IPAddressTests {
    @Test(arguments: ["127.0.0.1", "::1", "fe80::1%eth0", "fe80::1%br-0_1.2", "::ffff:10.0.0.1"])
    func `literals are addresses`(_ text: String) {
        #expect(IPAddress(text) != nil)
    }

    @Test(arguments: [
        "127.0.0.1\0", "127.0.0.1\0.evil.example", "::1\0", "127.0.0.1%eth0", "fe80::1%",
        "fe80::1%a\u{1B}[2J",
        "fe80::1%a b", "fe80::1%a%b", "fe80::1%abcdefghijklmnop", "fe80::1%é", "%eth0", "",
    ])
    func `what goes on behind one is none`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: ["127.0.0.1\0x", "fe80::1%\u{1B}[2J"])
    func `a proxy cannot name a peer that is no address`(_ text: String) throws {
        let peer = Peer(try SocketAddress(ipAddress: "127.0.0.1", port: 1))
        let trusted = try #require(AddressRange("127.0.0.0/8"))

        let client = peer.behindProxies(["x-forwarded-for": text], trusted: [trusted])

        #expect(client.text == "127.0.0.1" && !client.isLocal)
    }
}
