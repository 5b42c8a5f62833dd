import Foundation

/// An IPv4 or IPv6 address, without a port or a zone; an IPv4 address inside an IPv6 one is that IPv4 address
/// (RFC 4291, 2.5.5.2).
struct IPAddress: Sendable, Hashable {
    /// 4 or 16, in network order.
    let bytes: [UInt8]

    /// `nil` for what is no literal of either kind (`inet_pton(3)`).
    init?(_ text: some StringProtocol) {
        let literal = String(text.prefix { $0 != "%" })
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
}
