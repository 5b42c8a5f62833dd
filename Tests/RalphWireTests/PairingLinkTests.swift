import RalphTestSupport
import RalphWire
import Testing

struct PairingLinkTests {
    private let ticket = "0123456789ABCDEFGHJKMNPQRS"
    private let fingerprint = String(repeating: "0a", count: 32)

    @Test func `a link says addresses in order the ticket and the certificate`() throws {
        let hosts = try ["100.64.0.7:8080", "[fd7a:115c:a1e0::7]:8080", "ralph_1.local:80"].map {
            try #require(PairingAddress($0))
        }
        let ticket = try #require(PairingTicket(ticket))
        let link = try #require(PairingLink(hosts: hosts, ticket: ticket, fingerprint: fingerprint))

        #expect(
            link.text == "ralphmobile://pair?v=1&h=100.64.0.7:8080&h=%5Bfd7a:115c:a1e0::7%5D:8080"
                + "&h=ralph_1.local:80&t=\(ticket.text)&fp=\(fingerprint)")
        #expect(PairingLink(link.text) == link)
    }

    @Test func `eight addresses are said and the rest left out`() throws {
        let hosts = (1...12).compactMap { PairingAddress(host: "10.0.0.\($0)", port: 8080) }
        let link = try #require(PairingLink(hosts: hosts, ticket: .random()))

        #expect(link.hosts == Array(hosts.prefix(8)))
        #expect(PairingLink(link.text) == link)
    }

    @Test func `items that are not known are passed over`() {
        let link = PairingLink("ralphmobile://pair?x=%20&v=1&h=10.0.0.1%3A80&t=\(ticket)")

        #expect(link?.hosts.map(\.text) == ["10.0.0.1:80"])
    }

    @Test(arguments: [
        "", "ralphmobile://pair?", "https://pair?v=1&h=a:1&t=T", "ralphmobile://pair?v=2&h=a:1&t=T",
        "ralphmobile://pair?h=a:1&t=T", "ralphmobile://pair?v=1&t=T", "ralphmobile://pair?v=1&h=a:1",
        "ralphmobile://pair?v=1&h=a:0&t=T", "ralphmobile://pair?v=1&h=a:65536&t=T",
        "ralphmobile://pair?v=1&h=a:1&t=T&t=T", "ralphmobile://pair?v=1&h=a:1&t=T&fp=0a",
        "ralphmobile://pair?v=1&h=a%zz:1&t=T", "ralphmobile://pair?v=1&h=a%00:1&t=T",
        "ralphmobile://pair?v=1&h=a:1&t=T&fp", "ralphmobile://pair?v=1&h=::1:1&t=T",
        "ralphmobile://pair?v=1&h=a%2Fb:1&t=T", "ralphmobile://pair?v=1&h=[a]:1&t=T",
    ])
    func `anything else is no link`(_ text: String) {
        #expect(PairingLink(text.replacing("t=T", with: "t=" + ticket)) == nil)
    }

    @Test func `no text can harm the reader`() {
        var generator = SeededGenerator(seed: 11)
        let pieces = [
            "ralphmobile://pair?", "v=1", "&", "h=", "t=", "%", "%41", "[", "]", ":", "1", "é", ticket, "=",
        ]
        for _ in 0..<5000 {
            let count = Int.random(in: 0...20, using: &generator)
            let text =
                "ralphmobile://pair?"
                + (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined()
            if let link = PairingLink(text) { #expect(PairingLink(link.text) == link) }
        }
    }
}
