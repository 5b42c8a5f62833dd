import RalphWire

/// Where a web page comes from, as browsers say it: `scheme://host` and a port that is not the scheme's own
/// (RFC 6454, 6.1).
struct WebOrigin: Sendable, Hashable {
    /// In lower case.
    let scheme: String
    /// In lower case, without a last dot; an IPv6 address in its brackets.
    let host: String
    /// `nil`: the scheme's own.
    let port: UInt16?
    /// Longer ones are none, and cost nothing: a name has 253 characters at most (RFC 1035, 2.3.4).
    static let maximumBytes = 300

    /// `nil` for anything that is not exactly one origin; `null`, which anybody can be, is none.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumBytes else { return nil }
        let text = text.lowercased()
        guard let mark = text.firstRange(of: "://"), Self.isScheme(text[..<mark.lowerBound]),
            let (host, port) = Self.authority(text[mark.upperBound...])
        else { return nil }
        scheme = String(text[..<mark.lowerBound])
        self.host = host
        let standard: UInt16? = scheme == "http" ? 80 : scheme == "https" ? 443 : nil
        self.port = port == standard ? nil : port
    }

    /// Whether a browser gets such a page by HTTP.
    var isWeb: Bool { scheme == "http" || scheme == "https" }

    /// Whether only this machine can be meant.
    var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether `name` can be a host name or an IP address in an origin; a name of letters, digits, `-`, `.` and
    /// `_`.
    static func isHost(_ name: some StringProtocol) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            let inside = name.dropFirst().dropLast()
            return inside.contains(":")
                && inside.utf8.allSatisfy { Hexadecimal.value($0) != nil || $0 == 0x3A || $0 == 0x2E }
        }
        return !name.isEmpty && !name.hasPrefix(".") && !name.hasPrefix("-")
            && name.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == 0x2D || byte == 0x2E || byte == 0x5F
            }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits) else {
                return nil
            }
            port = number
        }
        if host.hasSuffix(".") { host.removeLast() }
        return isHost(host) ? (String(host), port) : nil
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7A).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == 0x2B || byte == 0x2D || byte == 0x2E
        }
    }
}
