import Foundation
import NIOCore
import NIOHTTP1

@testable import RalphServer

/// Where a request comes from and whom it takes us for (design 8).
///
/// Input: `Host`, `Origin`, `X-Forwarded-For`, the name of another header and its value, a declared name, a network.
enum OriginFuzz {
    static func run(_ input: FuzzInput) throws(FuzzFinding) {
        var input = input
        let host = input.text()
        let origin = input.text()
        let forwarded = input.text()
        let other = (name: input.text(), value: input.text())
        let declared = input.text()
        let network = input.text()
        let rule = HostRule(declared: [declared])
        if rule.answers(for: host) {
            try promise(isOurs(host, declared: declared), "we answer for \(host), with \(declared) declared")
        }
        try checkOrigin(origin, host: host, rule: rule, declared: declared)
        try checkPeer(forwarded, other: other, network: network)
        if let range = AddressRange(network) {
            let address = IPAddress(network.prefix { $0 != "/" })
            try promise(address.map(range.contains) ?? false, "\(network) holds its own address")
        }
    }

    /// Whether a `Host` can only mean us, decided in another way than ``HostRule`` does.
    private static func isOurs(_ host: String, declared: String) -> Bool {
        let bytes = Array(host.lowercased().utf8)
        var name = String(decoding: bytes, as: UTF8.self)
        let digits = bytes.reversed().prefix { (0x30...0x39).contains($0) }.count
        if bytes.dropLast(digits).last == UInt8(ascii: ":"), digits > 0, !isAddress(name) {
            name = String(decoding: bytes.dropLast(digits + 1), as: UTF8.self)
        }
        if name.hasPrefix("["), name.hasSuffix("]") { return isAddress(String(name.dropFirst().dropLast())) }
        if name.hasSuffix(".") { name.removeLast() }
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/@:?#[]\\".utf8.contains($0) }) else {
            return false
        }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return isAddress(name) || labels.last == "localhost" || labels.count > 1 && labels.last == "local"
            || name == declared.lowercased()
    }

    private static func isAddress(_ text: String) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard !text.utf8.contains(0) else { return false }
        return inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1
    }

    private static func checkOrigin(
        _ origin: String, host: String, rule: HostRule, declared: String
    ) throws(FuzzFinding) {
        if let page = WebOrigin(origin) {
            let text = "\(page.scheme)://\(page.host)" + (page.port.map { ":\($0)" } ?? "")
            try promise(WebOrigin(text) == page, "\(origin) is \(text)")
            try promise(!page.isLoopback || isLoopback(page.host), "\(page.host) is this machine")
        }
        let policy = CrossOriginPolicy(allowed: [declared])
        let rules = OriginRule(hosts: rule, crossOrigin: policy)
        let headers: HTTPHeaders = ["host": host, "origin": origin]
        guard rule.answers(for: host), rules.allows(.POST, headers) else { return }
        guard let page = WebOrigin(origin) else { throw FuzzFinding(text: "no origin may post: \(origin)") }
        let isSame = origin.lowercased() == "\(page.scheme)://\(host.lowercased())"
        let isAllowed = page.host == declared.lowercased() || WebOrigin(declared) == page
        try promise(
            isLoopback(page.host) || isAllowed || isSame,
            "\(origin) may post to \(host), \(declared) declared")
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "[::1]" || host.split(separator: ".").last == "localhost" { return true }
        let digits = host.split(separator: ".").map { Int($0) }
        return digits.count == 4 && digits[0] == 127
            && digits.allSatisfy { $0.map((0...255).contains) ?? false }
    }

    private static func checkPeer(
        _ forwarded: String, other: (name: String, value: String), network: String
    ) throws(FuzzFinding) {
        // It is an address.
        let direct = Peer(try? SocketAddress(ipAddress: "127.0.0.1", port: 1))
        var headers = HTTPHeaders()
        if isToken(other.name) { headers.add(name: other.name, value: other.value) }
        if direct.behindProxies(headers, trusted: []) != direct {
            try promise(
                !direct.behindProxies(headers, trusted: []).isLocal, "\(other.name) makes nobody local")
        }
        headers.add(name: "X-Forwarded-For", value: forwarded)
        let range = ["127.0.0.0/8", network].compactMap { AddressRange($0) }
        for trusted in [[], range] {
            let peer = direct.behindProxies(headers, trusted: trusted)
            try promise(!peer.isLocal, "a forwarded request is remote: \(forwarded)")
            try promise(trusted.isEmpty ? peer.text == direct.text : isPlain(peer.text), "peer \(peer.text)")
        }
    }

    /// Whether a parser of requests lets `name` through (RFC 9110, 5.6.2).
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
    }

    /// An address, which may have a zone, and nothing that could change the line of a log.
    private static func isPlain(_ text: String) -> Bool {
        isAddress(String(text.prefix { $0 != "%" })) && text.utf8.count <= 64
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
