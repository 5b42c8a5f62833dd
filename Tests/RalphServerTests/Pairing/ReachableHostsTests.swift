import RalphWire
import Testing

@testable import RalphServer

struct ReachableHostsTests {
    private let machine = [
        "169.254.3.4", "8.8.4.4", "2001:db8::5", "192.168.1.20", "fe80::1", "100.100.1.2",
        "fd7a:115c:a1e0::9",
        "10.0.0.3",
    ].compactMap { MachineAddress($0, interface: "eth0") }

    @Test func `tailnet comes first then other networks then link-local`() {
        let all = ReachableHosts(bound: "::", port: 8080, machine: machine)

        #expect(
            all.addresses.map(\.text) == [
                "100.100.1.2:8080", "[fd7a:115c:a1e0::9]:8080", "10.0.0.3:8080", "192.168.1.20:8080",
                "8.8.4.4:8080", "[2001:db8::5]:8080", "169.254.3.4:8080",
            ])
        #expect(!all.isLocalOnly)
    }

    @Test func `a server on all IPv4 addresses has no others`() {
        let all = ReachableHosts(bound: "0.0.0.0", port: 80, machine: machine)

        #expect(all.addresses.allSatisfy { !$0.host.contains(":") })
        #expect(all.addresses.count == 5)
    }

    @Test func `an address with a zone is of no use to others`() {
        let one = ReachableHosts(bound: "fe80::1%eth0", port: 80, machine: machine)

        #expect(one.addresses.isEmpty)
    }

    @Test(arguments: ["192.168.1.20", "fd7a:115c:a1e0::9", "ralph.local", "my_host"])
    func `a server on one address has that one`(_ host: String) {
        let one = ReachableHosts(bound: host, port: 80, machine: machine)

        #expect(one.addresses.map(\.host) == [host])
        #expect(!one.isLocalOnly)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80"), ("localhost", "127.0.0.1:80"), ("::1", "[::1]:80"),
        ("127.0.0.9", "127.0.0.1:80"),
    ])
    func `a server on loopback is reached by nobody else`(_ host: String, _ address: String) {
        let here = ReachableHosts(bound: host, port: 80, machine: machine)

        #expect(here.addresses.map(\.text) == [address])
        #expect(here.isLocalOnly)
    }

    @Test func `a machine without a network is reached by nobody else`() {
        let here = ReachableHosts(bound: "0.0.0.0", port: 80, machine: [])

        #expect(here.addresses.map(\.text) == ["127.0.0.1:80"])
        #expect(here.isLocalOnly)
    }

    @Test func `networks inside the machine are not offered`() {
        let inner = ["10.1.0.1"].compactMap { MachineAddress($0, interface: "docker0") }

        #expect(ReachableHosts(bound: "0.0.0.0", port: 80, machine: inner).isLocalOnly)
    }
}
