import Foundation

/// What a QR code for pairing says: `ralphmobile://pair?v=1&h=HOST:PORT&h=…&t=TICKET&fp=…`.
///
/// `h` are the server's addresses in the order in which they are to be tried. With `fp`, the SHA-256 of its
/// certificate in hexadecimal, the server speaks HTTPS and shows exactly that certificate; without, HTTP.
public struct PairingLink: Sendable, Equatable {
    /// Addresses at most.
    public static let maximumHosts = 8
    /// Bytes that are read at most.
    public static let maximumBytes = 4096
    private static let beginning = "ralphmobile://pair?"
    private static let version = "1"

    /// 1 … ``maximumHosts``.
    public let hosts: [PairingAddress]
    public let ticket: PairingTicket
    /// 64 hexadecimal digits in small letters; `nil`: HTTP.
    public let fingerprint: String?

    /// `nil` without any address, and for a fingerprint that is none; addresses beyond ``maximumHosts`` are left
    /// out.
    public init?(hosts: [PairingAddress], ticket: PairingTicket, fingerprint: String? = nil) {
        guard !hosts.isEmpty, fingerprint.map({ Hexadecimal.isDigits($0, count: 64) }) ?? true else {
            return nil
        }
        self.hosts = Array(hosts.prefix(Self.maximumHosts))
        self.ticket = ticket
        self.fingerprint = fingerprint?.lowercased()
    }

    /// Reads ``text``. Items of other names are passed over, so that later versions can say more.
    ///
    /// `nil` for anything else, such as an item that stands twice; any text may be given.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.maximumBytes, text.hasPrefix(Self.beginning) else { return nil }
        var hosts: [PairingAddress] = []
        var single: [String: String] = [:]
        for item in text.dropFirst(Self.beginning.count).split(separator: "&") {
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let value = String(halves[1]).removingPercentEncoding else { return nil }
            if halves[0] == "h" {
                guard let host = PairingAddress(value), hosts.count < Self.maximumHosts else { return nil }
                hosts.append(host)
            } else if single.updateValue(value, forKey: String(halves[0])) != nil {
                return nil
            }
        }
        guard single["v"] == Self.version, let ticket = single["t"].flatMap({ PairingTicket($0) }) else {
            return nil
        }
        self.init(hosts: hosts, ticket: ticket, fingerprint: single["fp"])
    }

    /// The link, percent-encoded where a query needs it (RFC 3986, 3.4).
    public var text: String {
        var items = ["v=\(Self.version)"]
        items += hosts.map { "h=" + Self.encoded($0.text) }
        items.append("t=\(ticket.text)")
        if let fingerprint { items.append("fp=\(fingerprint)") }
        return Self.beginning + items.joined(separator: "&")
    }

    /// Addresses hold letters, digits, `.`, `-` and `:`, which a query may have, and brackets, which it may not.
    private static func encoded(_ text: String) -> String {
        text.replacing("[", with: "%5B").replacing("]", with: "%5D")
    }
}
