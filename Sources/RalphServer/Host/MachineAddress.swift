/// An address of this machine.
struct MachineAddress: Sendable, Equatable {
    /// Whom it connects this machine with, in the order in which a phone should try them.
    enum Reach: Int, Sendable, Comparable, CaseIterable {
        /// The owner's own devices, wherever they are (100.64.0.0/10, fd7a:115c:a1e0::/48).
        case tailnet
        /// The local network (RFC 1918, RFC 4193).
        case lan
        /// Everybody.
        case world
        /// The same cable or wireless network only (RFC 3927, RFC 4291).
        case link
        /// Containers and virtual machines of this machine.
        case bridge
        /// This machine.
        case loopback

        static func < (one: Reach, other: Reach) -> Bool { one.rawValue < other.rawValue }

        /// For people.
        var words: String {
            switch self {
            case .tailnet: "tailnet"
            case .lan: "local network"
            case .world: "public"
            case .link: "link-local"
            case .bridge: "containers"
            case .loopback: "this machine"
            }
        }
    }

    /// An IP literal without a zone.
    let text: String
    let interface: String
    let reach: Reach

    /// `nil` for what is no IP literal.
    init?(_ text: String, interface: String) {
        guard let address = IPAddress(text) else { return nil }
        self.text = String(text.prefix { $0 != "%" })
        self.interface = interface
        reach = Self.reach(of: address, interface)
    }

    private static let tailnets = ranges(["100.64.0.0/10", "fd7a:115c:a1e0::/48"])
    private static let privates = ranges(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"])
    private static let links = ranges(["169.254.0.0/16", "fe80::/10"])
    private static let bridges = ["docker", "br-", "veth", "virbr", "podman", "cni", "lxc", "lxd"]

    private static func ranges(_ texts: [String]) -> [AddressRange] { texts.compactMap(AddressRange.init) }

    private static func reach(of address: IPAddress, _ interface: String) -> Reach {
        func isIn(_ ranges: [AddressRange]) -> Bool { ranges.contains { $0.contains(address) } }
        if address.isLoopback { return .loopback }
        if isIn(tailnets) { return .tailnet }
        if isIn(links) { return .link }
        if bridges.contains(where: interface.hasPrefix) { return .bridge }
        return isIn(privates) ? .lan : .world
    }
}
