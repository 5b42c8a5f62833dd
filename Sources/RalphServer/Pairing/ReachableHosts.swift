import RalphWire

/// Where other machines reach this server, the best address first.
struct ReachableHosts: Sendable, Equatable {
    /// One at least, ``PairingLink/maximumHosts`` at most.
    let addresses: [PairingAddress]
    /// Whether only this machine can reach the server.
    let isLocalOnly: Bool

    /// - Parameters:
    ///   - host: what the server is bound to: an address, a name, or all addresses (`0.0.0.0`, `::`).
    ///   - machine: the addresses that this machine has.
    init(bound host: String, port: Int, machine: [MachineAddress]) {
        let address = IPAddress(host)
        let isAny = Self.isAny(host)
        let found = isAny ? Self.usable(machine, hasIPv6: address?.isIPv4 == false) : [host]
        isLocalOnly = host == "localhost" || address?.isLoopback ?? false || found.isEmpty
        let here = address?.isIPv4 == false && !isAny ? host : "127.0.0.1"
        addresses = (isLocalOnly ? [here] : found).prefix(PairingLink.maximumHosts)
            .compactMap { PairingAddress(host: $0, port: port) }
    }

    /// Whether `host` stands for all addresses of a machine.
    static func isAny(_ host: String) -> Bool { IPAddress(host)?.bytes.allSatisfy { $0 == 0 } ?? false }

    /// What others can use of a machine's addresses: none of networks inside it, and no link-local IPv6, which no
    /// other machine can use without the name of its own interface.
    private static func usable(_ machine: [MachineAddress], hasIPv6: Bool) -> [String] {
        MachineAddress.sorted(machine).filter { candidate in
            candidate.reach < .bridge && (hasIPv6 || !candidate.isIPv6)
                && !(candidate.isIPv6 && candidate.reach == .link)
        }.map(\.text)
    }
}
