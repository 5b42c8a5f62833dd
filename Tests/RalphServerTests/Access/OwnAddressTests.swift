import NIOCore
import NIOHTTP1
import Testing

@testable import RalphServer

struct OwnAddressTests {
    @Test func `a connection from an address to itself was made on this machine`() throws {
        let ours = try SocketAddress(ipAddress: "192.168.1.20", port: 8080)
        let client = try SocketAddress(ipAddress: "192.168.1.20", port: 51_000)

        #expect(Peer(client, local: ours).isLocal)
        #expect(!Peer(client, local: ours).behindProxies(["Via": "1.1 proxy"], trusted: []).isLocal)
    }

    @Test func `a connection from another address was not`() throws {
        let ours = try SocketAddress(ipAddress: "192.168.1.20", port: 8080)
        let client = try SocketAddress(ipAddress: "192.168.1.21", port: 51_000)

        #expect(!Peer(client, local: ours).isLocal)
        #expect(!Peer(client).isLocal)
        #expect(!Peer(nil, local: nil).isLocal)
    }
}
