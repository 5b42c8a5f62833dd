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

    private init(text: String, isLocal: Bool) {
        self.text = text
        self.isLocal = isLocal
        network = PeerNetwork(text)
    }

    /// What a request that came over this connection says of its origin.
    ///
    /// A request that somebody passed on is remote even if that somebody is on this machine, as tunnels are
    /// (design 8). Only a proxy in `trusted` is believed about the address.
    func behindProxies(_ headers: HTTPHeaders, trusted: [AddressRange]) -> Peer {
        guard Self.isForwarded(headers) else { return self }
        var client = text
        // Each proxy adds the address that it saw at the end; the first one that is not ours is the client.
        var hops = headers["x-forwarded-for"].flatMap { $0.split(separator: ",") }[...]
        while let address = IPAddress(client), trusted.contains(where: { $0.contains(address) }),
            let hop = hops.popLast().map(Self.trimmed), IPAddress(hop) != nil
        {
            client = String(hop.prefix { $0 != "%" })  // a zone may be any text, and is of no use here
        }
        return Peer(text: client, isLocal: false)
    }

    /// Headers by which proxies and tunnels tell that they passed a request on.
    private static let forwardingHeaders = [
        "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
        "x-forwarded-server", "x-original-forwarded-for", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
        "true-client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "cf-ray", "cf-visitor", "cdn-loop",
        "fastly-client-ip", "fly-client-ip", "tailscale-user-login", "tailscale-funnel-request",
        "x-envoy-external-address", "x-azure-clientip", "x-appengine-user-ip", "ngrok-trace-id",
    ]

    private static func isForwarded(_ headers: HTTPHeaders) -> Bool {
        headers.contains { header in
            guard let first = header.name.utf8.first, "fvxtcFVXTCnN".utf8.contains(first) else {
                return false
            }
            return forwardingHeaders.contains(header.name.lowercased())
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
