import Foundation

/// An address of this machine on one of its networks.
struct MachineAddress: Sendable, Equatable {
    let text: String
    let address: IPAddress

    /// `nil` for what is no address.
    init?(_ text: String) {
        guard let address = IPAddress(text) else { return nil }
        self.text = text
        self.address = address
    }

    /// The addresses of all interfaces that are up, in the kernel's order (`getifaddrs(3)`); none if it does not
    /// tell.
    ///
    /// Left out are loopback, networks that exist inside this machine only (containers, virtual machines), and
    /// link-local IPv6, which no other machine can use without the name of its own interface.
    static func all() -> [MachineAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [MachineAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            let flags = UInt32(truncatingIfNeeded: entry.ifa_flags)
            guard flags & Self.isUp != 0, flags & Self.isLoopback == 0,
                !Self.isInner(String(cString: entry.ifa_name)), let text = Self.text(of: entry.ifa_addr),
                let address = MachineAddress(text), !found.contains(address)
            else { continue }
            found.append(address)
        }
        return found
    }

    /// `IFF_UP` and `IFF_LOOPBACK` of `<net/if.h>`.
    private static let (isUp, isLoopback): (UInt32, UInt32) = (0x1, 0x8)

    /// Whether an interface's name is one that container engines and hypervisors give.
    private static func isInner(_ name: String) -> Bool {
        ["docker", "br-", "veth", "virbr", "vmnet", "cni", "podman"].contains { name.hasPrefix($0) }
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>?) -> String? {
        guard let address else { return nil }
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var text = [CChar](repeating: 0, count: 128)
        guard
            getnameinfo(
                address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return host.contains("%") ? nil : host
    }
}
