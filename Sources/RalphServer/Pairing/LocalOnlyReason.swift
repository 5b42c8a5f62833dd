import RalphWire

/// Why no other machine can reach a server, and what to do.
package enum LocalOnlyReason {
    /// One sentence without its stop, which begins small.
    ///
    /// - Parameter host: what the server is bound to: an address, a name, or all addresses (`0.0.0.0`, `::`).
    package static func text(bound host: String) -> String {
        guard ReachableHosts.isAny(host) else {
            return "it listens on this machine only; start it with --bind-all, or behind a tunnel"
        }
        return IPAddress(host)?.isIPv4 == true
            ? "this machine has no IPv4 address for others now; connect it to a network, or start it with --bind ::"
            : "this machine has no address for others now; connect it to a network"
    }
}
