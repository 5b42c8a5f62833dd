/// Where a server may be reached: a host and a port, written `HOST:PORT`, IPv6 in brackets (RFC 3986, 3.2.2).
public struct PairingAddress: Sendable, Hashable {
    /// Bytes of a host at most, as in DNS (RFC 1035, 2.3.4).
    public static let maximumHostBytes = 253

    /// A name or an address, without brackets.
    public let host: String
    /// 1 … 65535.
    public let port: Int

    /// `nil` for a host with other characters than names and addresses have, and for a port that is none.
    public init?(host: some StringProtocol, port: Int) {
        guard (1...65535).contains(port), (1...Self.maximumHostBytes).contains(host.utf8.count) else {
            return nil
        }
        let isLiteral = host.utf8.contains(UInt8(ascii: ":"))
        guard host.utf8.allSatisfy({ isLiteral ? Self.isOfLiteral($0) : Self.isOfName($0) }) else {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    /// Reads ``text``; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(digits)
        else { return nil }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), host.contains(":") else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self.init(host: host, port: port)
    }

    /// `HOST:PORT`.
    public var text: String { Self.text(host: host, port: port) }

    /// `HOST:PORT` of any address, an IPv6 literal in brackets.
    public static func text(host: String, port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// `host` without the zone of an IPv6 literal (RFC 4007, 11), which means nothing to any other machine.
    public static func withoutZone(_ host: String) -> String {
        host.contains(":") ? String(host.prefix { $0 != "%" }) : host
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isOfLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
