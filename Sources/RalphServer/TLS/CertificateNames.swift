import Foundation
import SwiftASN1
import X509

/// The names and addresses that a certificate is valid for.
struct CertificateNames: Sendable {
    /// Names and addresses at most; a machine may have thousands of them.
    static let maximum = 64

    /// In lower case.
    let names: [String]
    let addresses: [IPAddress]

    /// What others on the network may call this machine, and itself.
    static func ofThisMachine() -> Self {
        var names = ["localhost"]
        if let host = hostName() {
            let first = String(host.prefix { $0 != "." })
            names += [host] + (host == first ? [] : [first]) + [first + ".local"]
        }
        let loopback = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }
        let addresses = loopback + interfaceAddresses().filter { !$0.isLoopback }
        return Self(names: unique(names), addresses: Array(unique(addresses).prefix(maximum)))
    }

    /// As the certificate's extension has them (RFC 5280, 4.2.1.6).
    var general: [GeneralName] {
        names.map { .dnsName($0) }
            + addresses.map { .ipAddress(ASN1OctetString(contentBytes: $0.bytes[...])) }
    }

    /// In lower case; `nil` for one that can be in no certificate.
    private static func hostName() -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = text(buffer).lowercased()
        return WebOrigin.isHost(name) && name != "localhost" && IPAddress(name) == nil ? name : nil
    }

    /// Of interfaces that are up (getifaddrs(3)).
    private static func interfaceAddresses() -> [IPAddress] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [IPAddress] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0,
                let text = text(of: address), let parsed = IPAddress(text)
            else { continue }
            found.append(parsed)
        }
        return found
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                address, socklen_t(length), &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return text(buffer)
    }

    /// Up to the first NUL.
    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func unique<Element: Hashable>(_ list: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return list.filter { seen.insert($0).inserted }
    }
}
