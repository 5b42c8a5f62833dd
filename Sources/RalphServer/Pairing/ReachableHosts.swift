import RalphWire

/// Where other machines reach this server, the best address first.
struct ReachableHosts: Sendable, Equatable {
    /// Tailscale's networks, which work from anywhere.
    private static let tailnet = ["100.64.0.0/10", "fd7a:115c:a1e0::/48"].compactMap(AddressRange.init)
    /// RFC 3927: addresses that machines give themselves.
    private static let linkLocal = ["169.254.0.0/16"].compactMap(AddressRange.init)
    private static let linkLocal6 = AddressRange("fe80::/10")

    /// One at least, ``PairingLink/maximumHosts`` at most.
    let addresses: [PairingAddress]
    /// Whether only this machine can reach the server.
    let isLocalOnly: Bool

    /// - Parameters:
    ///   - host: what the server is bound to: an address, a name, or all addresses (`0.0.0.0`, `::`).
    ///   - machine: the addresses that this machine has.
    init(bound host: String, port: Int, machine: [MachineAddress]) {
        let address = IPAddress(host)
        let isAny = address?.bytes.allSatisfy { $0 == 0 } ?? false
        if host == "localhost" || address?.isLoopback ?? false {
            self.init(only: address?.isIPv4 == false ? host : "127.0.0.1", port, isLocalOnly: true)
        } else if !isAny {
            self.init(only: host, port, isLocalOnly: false)
        } else {
            let usable = machine.filter { candidate in
                (address?.isIPv4 == false || candidate.address.isIPv4)
                    && Self.linkLocal6?.contains(candidate.address) == false
            }
            // A sort that keeps the kernel's order inside a rank.
            let sorted = usable.enumerated().sorted {
                (Self.rank($0.element.address), $0.offset) < (Self.rank($1.element.address), $1.offset)
            }
            let found = sorted.compactMap { PairingAddress(host: $0.element.text, port: port) }
            guard !found.isEmpty else {
                self.init(only: "127.0.0.1", port, isLocalOnly: true)
                return
            }
            addresses = Array(found.prefix(PairingLink.maximumHosts))
            isLocalOnly = false
        }
    }

    private init(only host: String, _ port: Int, isLocalOnly: Bool) {
        addresses = [PairingAddress(host: host, port: port)].compactMap(\.self)
        self.isLocalOnly = isLocalOnly
    }

    /// Tailnet, then other networks (IPv4 first, which more of them have), then addresses that nobody assigned.
    private static func rank(_ address: IPAddress) -> Int {
        if tailnet.contains(where: { $0.contains(address) }) { return address.isIPv4 ? 0 : 1 }
        if linkLocal.contains(where: { $0.contains(address) }) { return 4 }
        return address.isIPv4 ? 2 : 3
    }
}
