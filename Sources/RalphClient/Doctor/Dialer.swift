import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Opens connections to one address of a server. Each request gets one of its own, so that what is measured is
/// the network and not a pool.
struct Dialer: Sendable {
    let remote: RemoteAddress
    let address: SocketAddress
    let limits: ExaminationLimits

    /// Connects, and sends `GET target` if there is one.
    ///
    /// - Parameter protocols: what is offered by ALPN.
    func open(
        _ target: String?, headers: [(String, String)] = [], trust: Trust, protocols: [String] = ["http/1.1"]
    ) async throws -> Exchange {
        let (arrivals, continuation) = AsyncThrowingStream.makeStream(
            of: Arrival.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingOldest(ExchangeHandler.maximumParts))
        let request = target.map { target in
            HTTPRequestHead(
                version: .http1_1, method: .GET, uri: remote.prefix + target,
                headers: HTTPHeaders(
                    [
                        ("Host", remote.authority), ("User-Agent", "ralph-mobile-server-doctor"),
                        ("Connection", "close"),
                    ] + headers))
        }
        let context = remote.isSecure ? try Self.context(trust, protocols) : nil
        let name = Self.serverName(remote.host)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(limits.connect))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context {
                        try pipeline.addHandler(Self.handler(context, name, trust))
                    }
                    if request != nil { try pipeline.addHTTPClientHandlers() }
                    try pipeline.addHandler(ExchangeHandler(request, arrivals: continuation))
                }
            }
            .connect(to: address).get()
        return Exchange(
            channel: channel, connectedAt: .now, arrivals: arrivals, continuation: continuation)
    }

    private static func context(_ trust: Trust, _ protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = protocols
        // Which certificate it is decides, not the name in it.
        if trust != .system { configuration.certificateVerification = .noHostnameVerification }
        return try NIOSSLContext(configuration: configuration)
    }

    private static func handler(
        _ context: NIOSSLContext, _ name: String?, _ trust: Trust
    ) throws -> NIOSSLClientHandler {
        switch trust {
        case .system: try NIOSSLClientHandler(context: context, serverHostname: name)
        case .anything:
            try NIOSSLClientHandler(context: context, serverHostname: name) { _, promise in
                promise.succeed(.certificateVerified)
            }
        case .pinned(let fingerprint):
            try CertificatePin(fingerprint).makeHandler(context, serverName: name)
        }
    }

    /// The name for SNI, which IP addresses must not be in (RFC 6066, 3).
    private static func serverName(_ host: String) -> String? {
        // What is no address is a name.
        (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
    }
}
