import Testing

@testable import RalphServer

struct AddressRangeTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("192.168.1.0/25", "192.168.1.127", true), ("192.168.1.0/25", "192.168.1.128", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("fd00::/8", "fd12::1", true), ("fd00::/8", "fe80::1", false),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true),
        ("::/0", "10.0.0.1", false),
    ])
    func `an address is in a network or not`(_ network: String, _ address: String, _ isInside: Bool) throws {
        let range = try #require(AddressRange(network))
        let address = try #require(IPAddress(address))

        #expect(range.contains(address) == isInside)
    }

    @Test(arguments: [
        "", "/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "localhost", "10.0.0.0/8/8",
    ])
    func `anything else is no network`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}
