import NIOCore
import NIOHTTP1

/// Where a request comes from, as far as can be known: the other end of the connection, or whom a trusted proxy
/// names.
struct Peer: Sendable, Equatable {
    /// An address without its port; `unknown` for a socket that has none.
    let text: String
    /// Whether the request was made on this machine and came straight to us.
    let isLocal: Bool
    /// Whom limits count it with.
    let network: PeerNetwork

    /// The other end of a connection.
    ///
    /// - Parameter local: our end of it. A connection from an address to itself was made on this machine: the
    ///   kernel takes no packet from elsewhere that bears an address of its own.
    init(_ address: SocketAddress?, local: SocketAddress? = nil) {
        text = address?.ipAddress ?? "unknown"
        let here = local?.ipAddress
        isLocal = IPAddress(text)?.isLoopback ?? false || here == text
        network = PeerNetwork(text)
    }

    private init(text: String, isLocal: Bool, network: PeerNetwork) {
        self.text = text
        self.isLocal = isLocal
        self.network = network
    }

    /// What a request that came over this connection says of its origin.
    ///
    /// Local is what came straight over loopback, or from an own address to itself, and calls us by a name of
    /// loopback or by that address. A request that somebody passed on is remote even if that somebody is on this
    /// machine, as tunnels are (design 8). Only a proxy in `trusted` is believed about the address.
    func behindProxies(_ headers: HTTPHeaders, trusted: [AddressRange]) -> Peer {
        guard Self.isForwarded(headers) else {
            return Peer(text: text, isLocal: isLocal && isCalledByOwnName(headers), network: network)
        }
        var client = text
        // Each proxy adds the address that it saw at the end; the first one that is not ours is the client. From anybody
        // else the field is not even looked at: it may be long.
        var hops: [Substring]?
        while let address = IPAddress(client), trusted.contains(where: { $0.contains(address) }) {
            if hops == nil { hops = Self.hops(headers) }
            guard let hop = hops?.popLast().flatMap(Self.address(ofHop:)) else { break }
            client = String(hop.prefix { $0 != "%" })  // a zone may be any text, and is of no use here
        }
        return Peer(text: client, isLocal: false, network: PeerNetwork(client))
    }

    private static func hops(_ headers: HTTPHeaders) -> [Substring] {
        headers["x-forwarded-for"].flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map(Substring.init)
        }
    }

    /// Headers by which proxies and tunnels tell that they passed a request on.
    private static let forwardingHeaders: Set<String> = [
        "forwarded", "via", "x-real-ip", "x-real-port", "x-client-ip", "x-cluster-client-ip", "x-remote-ip",
        "x-remote-addr", "x-originating-ip", "x-original-host", "x-original-url", "x-original-forwarded-for",
        "x-rewrite-url", "x-host", "x-proxyuser-ip", "x-nf-client-connection-ip", "x-arr-log-id",
        "x-cloud-trace-context", "true-client-ip", "client-ip", "cdn-loop", "proxy-client-ip",
        "wl-proxy-client-ip", "do-connecting-ip",
    ]
    /// What begins the names of further ones, of which there are many.
    private static let forwardingPrefixes = [
        "x-forwarded", "forwarded-", "cf-", "tailscale-", "ngrok-", "fly-", "fastly-", "x-envoy-", "x-azure-",
        "x-appengine-", "x-vercel-", "x-amz", "x-proxy-",
    ]

    /// Whether somebody says that they passed a request on.
    static func isForwarded(_ headers: HTTPHeaders) -> Bool {
        headers.contains { header in
            // Most headers of most requests begin with another letter.
            guard let first = header.name.utf8.first, "fvxtcnpwdFVXTCNPWD".utf8.contains(first) else {
                return false
            }
            let name = header.name.lowercased()
            return forwardingHeaders.contains(name) || forwardingPrefixes.contains(where: name.hasPrefix)
        }
    }

    /// Whether a request calls us by a name that only this machine's own clients use: loopback's, or the very
    /// address that it came from. Any other says that somebody passed it on without a word (a tunnel of bytes),
    /// or that a name of somebody else's was pointed at us (DNS rebinding through `*.local`).
    private func isCalledByOwnName(_ headers: HTTPHeaders) -> Bool {
        headers["host"].allSatisfy {
            HostRule.meansThisMachine($0) || HostRule.address(of: $0) == IPAddress(text)
        }
    }

    /// The address of a hop in `X-Forwarded-For`, without brackets and the port that some proxies add; `nil`: it names
    /// none.
    private static func address(ofHop text: Substring) -> Substring? {
        let hop = Substring(HeadRules.trimmed(text.utf8))
        var address = hop
        if hop.first == "[", let end = hop.firstIndex(of: "]") {
            guard HostRule.isPort(hop[hop.index(after: end)...]) else { return nil }
            address = hop[..<end].dropFirst()
        } else if let colon = hop.firstIndex(of: ":"), colon == hop.lastIndex(of: ":") {
            // With more than one colon, all of it is an IPv6 address.
            guard HostRule.isPort(hop[colon...]) else { return nil }
            address = hop[..<colon]
        }
        return IPAddress(address) == nil ? nil : address
    }
}
