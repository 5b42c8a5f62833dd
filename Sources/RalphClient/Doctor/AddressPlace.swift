import Foundation
import NIOCore

/// Where an address lies, as far as it matters for what may be sent there in the clear.
enum AddressPlace: Sendable, Equatable {
    case loopback
    /// A local network or a tailnet (RFC 1918, RFC 4193, RFC 6598, RFC 3927, RFC 4291).
    case near
    case far

    init(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            self.init(ipv4: withUnsafeBytes(of: address.address.sin_addr) { Array($0) })
        case .v6(let address):
            self.init(ipv6: withUnsafeBytes(of: address.address.sin6_addr) { Array($0) })
        case .unixDomainSocket: self = .loopback
        }
    }

    /// - Parameter ipv4: four bytes in network order.
    init(ipv4 bytes: [UInt8]) {
        switch (bytes[0], bytes[1]) {
        case (127, _): self = .loopback
        case (10, _), (192, 168), (169, 254), (172, 16...31), (100, 64...127): self = .near
        default: self = .far
        }
    }

    /// - Parameter ipv6: 16 bytes in network order.
    init(ipv6 bytes: [UInt8]) {
        if bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            self.init(ipv4: Array(bytes[12...]))
        } else if bytes[0..<15].allSatisfy({ $0 == 0 }), bytes[15] == 1 {
            self = .loopback
        } else {
            self = bytes[0] & 0xFE == 0xFC || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? .near : .far
        }
    }
}
