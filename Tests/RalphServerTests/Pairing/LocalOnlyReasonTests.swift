import Testing

@testable import RalphServer

struct LocalOnlyReasonTests {
    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `a server on loopback is told how to be reached`(_ host: String) {
        #expect(LocalOnlyReason.text(bound: host).contains("--bind-all"))
    }

    @Test func `a server on all addresses is not told to take them`() {
        for host in ["0.0.0.0", "::"] {
            #expect(!LocalOnlyReason.text(bound: host).contains("--bind-all"))
            #expect(LocalOnlyReason.text(bound: host).contains("connect it to a network"))
        }
        #expect(LocalOnlyReason.text(bound: "0.0.0.0").contains("--bind ::"))
        #expect(!LocalOnlyReason.text(bound: "::").contains("--bind"))
    }
}
