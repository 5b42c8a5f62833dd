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
        let found = isAny ? Self.sorted(machine, hasIPv6: address?.isIPv4 == false) : [host]
        isLocalOnly = host == "localhost" || address?.isLoopback ?? false || found.isEmpty
        let here = address?.isIPv4 == false && !isAny ? host : "127.0.0.1"
        addresses = (isLocalOnly ? [here] : found).prefix(PairingLink.maximumHosts)
            .compactMap { PairingAddress(host: $0, port: port) }
    }

    /// What others can use of a machine's addresses, the best first, else in the kernel's order.
    private static func sorted(_ machine: [MachineAddress], hasIPv6: Bool) -> [String] {
        machine.filter { candidate in
            (hasIPv6 || candidate.address.isIPv4) && linkLocal6?.contains(candidate.address) == false
        }.enumerated().sorted {
            (rank($0.element.address), $0.offset) < (rank($1.element.address), $1.offset)
        }.map(\.element.text)
    }

    /// Tailnet, then other networks (IPv4 first, which more of them have), then addresses that nobody assigned.
    private static func rank(_ address: IPAddress) -> Int {
        if tailnet.contains(where: { $0.contains(address) }) { return address.isIPv4 ? 0 : 1 }
        if linkLocal.contains(where: { $0.contains(address) }) { return 4 }
        return address.isIPv4 ? 2 : 3
    }
}
