public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RalphWire

/// Asks a server on this machine or elsewhere, one request on each connection.
public struct ServerConnection: Sendable {
    /// What a server answered.
    public struct Reply: Sendable {
        public let status: Int
        /// At most ``ServerConnection/maximumReplyBytes``.
        public let body: Data
    }

    /// Bytes of an answer at most.
    public static let maximumReplyBytes = 8 << 20
    /// Seconds for a request and its answer together, unless said otherwise.
    public static let seconds = 30
    /// Seconds for connecting.
    private static let connectSeconds: Int64 = 5

    /// A name or an address, without brackets.
    public let host: String
    public let port: Int
    private let key: String
    private let pin: CertificatePin?

    /// - Parameters:
    ///   - key: the server's key, or a device's token.
    ///   - fingerprint: SHA-256 of the certificate in hexadecimal, the only one that is taken; `nil`: plain HTTP.
    public init(host: String, port: Int, key: String, fingerprint: String? = nil) {
        self.host = host
        self.port = port
        self.key = key
        pin = fingerprint.map(CertificatePin.init)
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameters:
    ///   - path: with its query, encoded.
    ///   - body: JSON; `nil`: none.
    ///   - seconds: for the request and its answer together.
    /// - Throws: ``ServerConnectionError``.
    public func send(
        _ method: String, _ path: String, body: Data? = nil, within seconds: Int = seconds
    ) async throws(ServerConnectionError) -> Reply {
        do {
            let reply = try await Deadline.value(within: .seconds(seconds)) {
                try await exchange(method, path, body)
            }
            guard let reply else {
                throw ServerConnectionError.tooSlow(host: host, port: port, seconds: seconds)
            }
            return reply
        } catch let error as ServerConnectionError {
            throw error
        } catch {
            throw .failed(host: host, port: port, reason: Self.words(error))
        }
    }

    private func exchange(_ method: String, _ path: String, _ body: Data?) async throws -> Reply {
        let connection = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(Self.connectSeconds))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let pin { try channel.pipeline.syncOperations.addHandler(pin.makeHandler()) }
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await connection.executeThenClose { inbound, outbound in
            var parts = [HTTPClientRequestPart.head(head(method, path, body))]
            if let body { parts.append(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
            // In one piece: who answers to the head alone closes before a second write.
            try await outbound.write(contentsOf: parts + [.end(nil)])
            return try await reply(from: inbound)
        }
    }

    func head(_ method: String, _ path: String, _ body: Data?) -> HTTPRequestHead {
        let name = PairingAddress.text(host: PairingAddress.withoutZone(host), port: port)
        var headers = HTTPHeaders([
            ("Host", name), ("X-Api-Key", key),
            ("Accept", "application/json"), ("Connection", "close"),
        ])
        if let body {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(body.count))
        }
        return HTTPRequestHead(
            version: .http1_1, method: .init(rawValue: method), uri: path, headers: headers)
    }

    private func reply(from parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>) async throws -> Reply
    {
        var status = 0
        var body = Data()
        for try await part in parts {
            switch part {
            case .head(let head): status = Int(head.status.code)
            case .body(let bytes):
                guard body.count + bytes.readableBytes <= Self.maximumReplyBytes else {
                    throw ServerConnectionError.tooLarge(host: host, port: port)
                }
                body.append(contentsOf: bytes.readableBytesView)
            case .end: return Reply(status: status, body: body)
            }
        }
        throw ServerConnectionError.failed(host: host, port: port, reason: "it closed the connection")
    }

    /// What a person can do something with, of an error of the layers below.
    private static func words(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError, let first = error.connectionErrors.first {
            return words(first.error)
        }
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
        return "\(error)"
    }
}
