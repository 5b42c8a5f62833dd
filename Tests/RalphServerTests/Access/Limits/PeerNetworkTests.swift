import Testing

@testable import RalphServer

struct PeerNetworkTests {
    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"), ("10.0.0.1", "::ffff:10.0.0.1"),
        ("unknown", "something else"),
    ])
    func `these are counted together`(_ pair: (String, String)) {
        #expect(PeerNetwork(pair.0) == PeerNetwork(pair.1))
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:3::1"), ("10.0.0.1", "10.0.0.2"), ("10.0.0.1", "unknown"),
        ("0.0.0.0", "::"), ("10.0.0.1", "0:0:0a00:1::"),
    ])
    func `these are counted apart`(_ pair: (String, String)) {
        #expect(PeerNetwork(pair.0) != PeerNetwork(pair.1))
    }
}
