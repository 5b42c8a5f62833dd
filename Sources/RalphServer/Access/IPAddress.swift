import Foundation

/// An IPv4 or IPv6 address, without a port; an IPv4 address inside an IPv6 one is that IPv4 address
/// (RFC 4291, 2.5.5.2).
struct IPAddress: Sendable, Hashable {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// What the name of an interface is shorter than, in bytes (`IFNAMSIZ`, `netdevice(7)`).
    private static let zoneBound = 16

    /// `nil` for what is no literal of either kind (`inet_pton(3)`). The zone of an IPv6 address (RFC 4007, 11) is
    /// passed over if it can be one: texts that are addresses are logged.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let literal = String(parts[0])
        // C would end there.
        guard !literal.utf8.contains(0) else { return nil }
        if parts.count > 1 { guard literal.contains(":"), Self.isZone(parts[1]) else { return nil } }
        var bytes = [UInt8](repeating: 0, count: 16)
        if literal.contains(":") {
            guard inet_pton(AF_INET6, literal, &bytes) == 1 else { return nil }
            let isMapped = bytes[0..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        } else {
            guard inet_pton(AF_INET, literal, &bytes) == 1 else { return nil }
            self.bytes = Array(bytes[0..<4])
        }
    }

    var isIPv4: Bool { bytes.count == 4 }

    /// Whether only this machine can be meant.
    var isLoopback: Bool {
        isIPv4 ? bytes[0] == 127 : bytes[0..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    private static func isZone(_ text: some StringProtocol) -> Bool {
        (1..<zoneBound).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == 0x2D || byte == 0x2E || byte == 0x5F
            }
    }
}
