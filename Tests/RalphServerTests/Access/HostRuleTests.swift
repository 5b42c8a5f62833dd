import Testing

@testable import RalphServer

/// Names by which requests call this server (design 8).
struct HostRuleTests {
    private let rule = HostRule(declared: ["Ralph.example"])

    @Test(arguments: [
        "localhost", "localhost:8080", "LOCALHOST.", "app.localhost", "mac.local:8080", "127.0.0.1",
        "192.168.1.7:8080", "[::1]", "[::1]:8080", "ralph.example:443",
    ])
    func `our own names are answered`(_ host: String) {
        #expect(rule.answers(for: host))
    }

    @Test(arguments: [
        "evil.example", "evil.example.", "evil.example:8080", "127.0.0.1.nip.io", "127.0.0.1.nip.io:8080", "",
        "localhost.evil.example", "[evil]", "[::1", "[::1]evil", "localhost:80:80", "localhost:x", "127.1",
        "127.0.0.256", "evil@localhost", "localhost/evil", "0x7f000001", "2130706433", "[::1]:", "localhost:",
    ])
    func `others are not`(_ host: String) {
        #expect(!rule.answers(for: host))
    }

    @Test func `a name that is longer than one can be is none`() {
        #expect(!rule.answers(for: String(repeating: "a", count: 300) + ".local"))
    }
}
