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
        let others = MachineAddress.all().filter { $0.reach != .loopback }.compactMap { IPAddress($0.text) }
        return Self(names: unique(names), addresses: Array(unique(loopback + others).prefix(maximum)))
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

    /// Up to the first NUL.
    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func unique<Element: Hashable>(_ list: [Element]) -> [Element] {
        var seen: Set<Element> = []
        return list.filter { seen.insert($0).inserted }
    }
}
