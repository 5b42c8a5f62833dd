import RalphWire
import Testing

@testable import RalphServer

struct BindRuleTests {
    private let own = [
        MachineAddress("127.0.0.1", interface: "lo"), MachineAddress("192.168.1.5", interface: "eth0"),
        MachineAddress("100.70.1.2", interface: "tailscale0"),
        MachineAddress("fe80::1%eth0", interface: "eth0"),
        MachineAddress("172.17.0.1", interface: "docker0"),
        MachineAddress("fd7a:115c:a1e0::5", interface: "ts"),
        MachineAddress("2001:db8::5", interface: "eth0"), MachineAddress("203.0.113.5", interface: "eth0"),
    ].compactMap { $0 }

    @Test func `addresses come in the order in which a phone should try them`() {
        #expect(
            MachineAddress.sorted(own).map(\.text) == [
                "100.70.1.2", "fd7a:115c:a1e0::5", "192.168.1.5", "203.0.113.5", "2001:db8::5", "fe80::1",
                "172.17.0.1", "127.0.0.1",
            ])
    }

    @Test(arguments: [
        ("127.0.0.1", Finding.Level.ok), ("::1", .ok), ("localhost", .ok), ("0.0.0.0", .ok), ("::", .ok),
        ("192.168.1.5", .ok), ("192.168.1.6", .fail), ("host.example", .warn),
    ])
    func `an address is judged by who can come there`(host: String, level: Finding.Level) {
        #expect(BindCheckup.judge(host: host, port: 8080, own: own).level == level)
    }

    @Test func `a port that somebody else holds is told with what to do`() {
        let finding = BindCheckup.judge(port: 8080, isOurs: false, problem: "Address already in use")

        #expect(finding.level == .fail)
        #expect(finding.advice?.contains("--port") == true)
        #expect(BindCheckup.judge(port: 8080, isOurs: true, problem: nil).level == .ok)
        #expect(BindCheckup.judge(port: 0, isOurs: false, problem: nil).level == .ok)
    }

    @Test func `on the loopback the flag to use is named exactly`() {
        let findings = ReachCheckup.judge(
            host: "127.0.0.1", port: 8080, hasTLS: false, own: own, hasTailscale: true)

        #expect(findings.count == 1)
        #expect(findings.first?.level == .warn)
        #expect(findings.first?.advice?.contains("--bind-all, or with --bind 100.70.1.2 for tailnet") == true)
        #expect(findings.first?.advice?.contains("http://100.70.1.2:8080") == true)
    }

    @Test func `bound to everything, each address is given with its interface`() {
        let findings = ReachCheckup.judge(
            host: "0.0.0.0", port: 1, hasTLS: true, own: own, hasTailscale: false)

        #expect(findings.map(\.level) == [.ok, .ok, .ok])
        #expect(findings.first?.found == "https://100.70.1.2:1 (tailscale0, tailnet)")
        // What doctor cannot see is said once.
        #expect(findings.first?.advice?.contains("try https://100.70.1.2:1/livez in the phone's") == true)
        #expect(findings.dropFirst().allSatisfy { $0.advice == nil })
    }

    @Test func `of a certificate of the server's own it is told that the app does not trust it`() {
        let findings = ReachCheckup.judge(
            host: "0.0.0.0", port: 1, hasTLS: true, isSelfSigned: true, own: own, hasTailscale: false)

        #expect(findings.map(\.level) == [.ok, .ok, .ok, .warn])
        #expect(findings.last?.advice?.contains("--tls-cert") == true)
    }

    @Test func `a port that nobody knows yet is not told as 0`() {
        let findings = ReachCheckup.judge(
            host: "0.0.0.0", port: 0, hasTLS: false, own: own, hasTailscale: false)

        #expect(findings.first?.found == "http://100.70.1.2:PORT (tailscale0, tailnet)")
    }

    @Test func `a public address without TLS, and tailscale without a tailnet, are told`() {
        let world = own.filter { $0.reach == .world }
        let findings = ReachCheckup.judge(host: "::", port: 1, hasTLS: false, own: world, hasTailscale: true)

        #expect(findings.map(\.level) == [.warn, .warn, .warn])
        #expect(findings.contains { $0.found.contains("[2001:db8::5]") })
        #expect(findings.last?.advice == "tailscale up")
        #expect(
            ReachCheckup.judge(host: "::", port: 1, hasTLS: false, own: [], hasTailscale: false).first?.level
                == .warn)
    }
}
