import Foundation
import RalphWire

/// A server's address as it was given: `http://host:port` or `https://host`, with a path in front of the
/// interface if a proxy has one.
package struct RemoteAddress: Sendable, Equatable {
    package private(set) var isSecure: Bool
    /// A name, or an IP literal without brackets.
    package let host: String
    package let port: Int
    /// Empty, or a path that begins with `/` and does not end so.
    package let prefix: String

    /// - Throws: ``RemoteAddressProblem`` with a sentence for whoever wrote it.
    package init(_ text: String) throws(RemoteAddressProblem) {
        let example = "expected http://HOST:PORT or https://HOST"
        let full = text.contains("://") ? text : "http://" + text
        guard let parts = URLComponents(string: full), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else { throw RemoteAddressProblem("this is no address; \(example).") }
        guard scheme == "http" || scheme == "https" else {
            throw RemoteAddressProblem("\(scheme) is not spoken here; \(example).")
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw RemoteAddressProblem(
                "an address holds no key and no query: name a file with --key-file, or set RALPH_API_KEY.")
        }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        port = parts.port ?? (isSecure ? 443 : 80)
        guard (1...65535).contains(port) else { throw RemoteAddressProblem("a port is 1 to 65535.") }
        var path = parts.percentEncodedPath[...]
        while path.hasSuffix("/") { path.removeLast() }
        prefix = String(path)
    }

    /// The same port with TLS where this is without, and the other way round.
    var other: RemoteAddress {
        var other = self
        other.isSecure.toggle()
        return other
    }

    /// For messages.
    package var text: String { "\(isSecure ? "https" : "http")://\(authority(host))\(prefix)" }

    /// The value of `Host`.
    package var authority: String { authority(PairingAddress.withoutZone(host)) }

    private func authority(_ host: String) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

/// An address that cannot be used.
package struct RemoteAddressProblem: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
