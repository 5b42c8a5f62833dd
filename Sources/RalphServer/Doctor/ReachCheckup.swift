import RalphWire

/// How a phone reaches this machine.
struct ReachCheckup: FileCheckup {
    let subject = "phone"
    let host: String
    let port: Int
    let hasTLS: Bool
    /// Whether the certificate is the server's own.
    let isSelfSigned: Bool
    let environment: [String: String]

    func look() -> [Finding] {
        Self.judge(
            host: host, port: port, hasTLS: hasTLS, isSelfSigned: isSelfSigned, own: MachineAddress.all(),
            hasTailscale: ProgramProbe(environment: environment).path(of: "tailscale") != nil)
    }

    /// The addresses to try, the best first, and what stands in the way.
    static func judge(
        host: String, port: Int, hasTLS: Bool, isSelfSigned: Bool = false, own: [MachineAddress],
        hasTailscale: Bool
    ) -> [Finding] {
        let usable = MachineAddress.sorted(own).filter { $0.reach < .bridge }
        var findings =
            usable.isEmpty ? [unreachable] : addresses(usable, host: host, port: port, hasTLS: hasTLS)
        if isSelfSigned {
            findings.append(
                .warn(
                    "phone",
                    "the app does not trust a certificate of the server's own, and browsers ask first",
                    "Use one of an authority (--tls-cert), or a tailnet."))
        }
        if hasTailscale, !usable.contains(where: { $0.reach == .tailnet }) {
            findings.append(
                .warn("phone", "tailscale is installed, but this machine is in no tailnet", "tailscale up"))
        }
        return findings
    }

    private static let unreachable = Finding.warn(
        "phone", "this machine has no address but its own", "Connect it to a network, or to a tailnet.")

    private static func addresses(
        _ usable: [MachineAddress], host: String, port: Int, hasTLS: Bool
    ) -> [Finding] {
        let bound = IPAddress(host)
        if host == "localhost" || bound?.isLoopback == true, let best = usable.first {
            return [
                .warn(
                    "phone", "\(host) is this machine only: no phone reaches it",
                    "Start with \(best.isIPv6 ? "--bind ::" : "--bind-all"), or with --bind \(best.text) for"
                        + " \(best.reach.words) only;"
                        + " a key is made then. The phone's address: \(url(best, port, hasTLS))")
            ]
        }
        let isForAll = host == "0.0.0.0" || host == "::" || bound == nil
        let reached = usable.filter { address in
            isForAll ? !(host == "0.0.0.0" && address.isIPv6) : IPAddress(address.text) == bound
        }
        guard !reached.isEmpty else {
            return [
                .warn(
                    "phone", "\(host) reaches none of this machine's addresses", "Start with --bind ::.")
            ]
        }
        return reached.enumerated().map { index, address in
            let place = url(address, port, hasTLS)
            let isReadable = address.reach == .world && !hasTLS
            var advice = isReadable ? ["Everybody on the way reads along: use TLS, or a tailnet."] : []
            if index == 0 {
                advice.append(
                    "Firewalls are not looked at; try \(place)/livez in the phone's browser"
                        + " (OK, needs no key).")
            }
            return Finding(
                level: isReadable ? .warn : .ok, subject: "phone",
                found: "\(place) (\(address.interface), \(address.reach.words))",
                advice: advice.isEmpty ? nil : advice.joined(separator: " "))
        }
    }

    private static func url(_ address: MachineAddress, _ port: Int, _ hasTLS: Bool) -> String {
        let place = PairingAddress.text(host: address.text, port: port)
        // Which one it is, the start prints.
        return "\(hasTLS ? "https" : "http")://\(port == 0 ? place.dropLast() + "PORT" : place[...])"
    }
}
