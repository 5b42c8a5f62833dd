import Foundation

extension MachineAddress {
    /// The addresses of all interfaces that are up (getifaddrs(3)), the best for a phone first, IPv4 before IPv6.
    static func all() -> [MachineAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [MachineAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0,
                let text = literal(entry.ifa_addr),
                let address = MachineAddress(text, interface: String(cString: entry.ifa_name))
            else { continue }
            found.append(address)
        }
        return sorted(found)
    }

    /// In the order in which a phone should try them.
    static func sorted(_ addresses: [MachineAddress]) -> [MachineAddress] {
        addresses.sorted { one, other in
            if one.reach != other.reach { return one.reach < other.reach }
            if one.isIPv6 != other.isIPv6 { return !one.isIPv6 }
            return (one.interface, one.text) < (other.interface, other.text)
        }
    }

    /// Whether it needs brackets in a URL.
    var isIPv6: Bool { text.contains(":") }

    private static func literal(_ address: UnsafeMutablePointer<sockaddr>?) -> String? {
        guard let address else { return nil }
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        return NumericAddress.text(of: address, size: socklen_t(size))
    }
}
