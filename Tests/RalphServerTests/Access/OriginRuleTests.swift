import NIOHTTP1
import Testing

@testable import RalphServer

/// What web pages may send (design 8).
struct OriginRuleTests {
    private let rule = OriginRule(
        hosts: HostRule(declared: ["ralph.example"]),
        crossOrigin: CrossOriginPolicy(allowed: ["https://app.example", "tool.example"]))

    @Test(arguments: [
        "http://localhost:5173", "http://127.0.0.1:8080", "http://[::1]", "https://app.example",
        "http://tool.example:81", "https://ralph.example", "http://192.168.1.7:8080",
    ])
    func `a page of ours may command`(_ origin: String) {
        #expect(rule.allows(.POST, ["Host": "192.168.1.7:8080", "Origin": origin]))
    }

    @Test(arguments: [
        "https://evil.example", "null", "", "http://app.example", "http://localhost.evil.example",
        "http://localhost@evil.example", "http://127.0.0.1.nip.io", "http://mac.local:8080", "http://127.1",
        "http://192.168.1.8:8080", "http://192.168.1.7", "file://", "http://192.168.1.7:8080/",
    ])
    func `another may not`(_ origin: String) {
        #expect(!rule.allows(.POST, ["Host": "192.168.1.7:8080", "Origin": origin]))
        #expect(!rule.allows(.GET, ["Host": "192.168.1.7:8080", "Origin": origin, "Upgrade": "websocket"]))
    }

    @Test func `an origin that equals a local name is no proof`() {
        #expect(!rule.allows(.POST, ["Host": "mac.local:8080", "Origin": "http://mac.local:8080"]))
        for name in ["evil.local", "evil.local.", "EVIL.local.:8080"] {
            #expect(!rule.allows(.DELETE, ["Host": name, "Origin": "http://\(name)"]))
        }
    }

    @Test func `two origins are none`() {
        #expect(
            !rule.allows(
                .POST, HTTPHeaders([("Origin", "http://localhost"), ("Origin", "http://localhost")])))
    }

    @Test(arguments: ["cross-site", "same-site", "Cross-Site", "anything"])
    func `a page without an origin may neither command nor embed`(_ site: String) {
        #expect(!rule.allows(.POST, ["Sec-Fetch-Site": site]))
        guard site != "anything" else { return }
        let image: HTTPHeaders = [
            "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image",
        ]
        #expect(!rule.allows(.GET, image))
    }

    @Test func `a followed link and a program are let through`() {
        let link: HTTPHeaders = [
            "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
        ]
        #expect(rule.allows(.GET, link))
        #expect(!rule.allows(.POST, link))
        #expect(rule.allows(.POST, [:]))
        #expect(rule.allows(.POST, ["Sec-Fetch-Site": "same-origin"]))
        #expect(rule.allows(.POST, ["Sec-Fetch-Site": "none"]))
    }
}
