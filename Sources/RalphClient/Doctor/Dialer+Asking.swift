import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import RalphWire

extension Dialer {
    /// Why there is no answer.
    struct NoAnswer: Error, CustomStringConvertible {
        let description: String
    }

    /// Asks for `target` and reads the whole answer.
    ///
    /// - Throws: ``NoAnswer`` with the reason in words.
    func get(_ target: String, headers: [(String, String)] = [], trust: Trust) async throws(NoAnswer) -> Reply
    {
        let start = ContinuousClock.now
        do {
            let reply = try await Deadline.value(within: limits.connect + limits.answer) {
                let exchange = try await open(target, headers: headers, trust: trust)
                defer { exchange.close() }
                return try await read(exchange, since: start)
            }
            guard let reply else { throw NoAnswer(description: "no answer in time") }
            return reply
        } catch let error as NoAnswer {
            throw error
        } catch {
            throw NoAnswer(description: Self.words(error))
        }
    }

    private func read(_ exchange: Exchange, since start: ContinuousClock.Instant) async throws -> Reply {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        for try await arrival in exchange.arrivals {
            switch arrival.part {
            case .secured: break
            // 1xx is no answer yet.
            case .head(let next): if next.status.code >= 200 { head = next }
            case .body(let bytes):
                body += bytes.readableBytesView
                guard body.count <= limits.answerBytes else {
                    throw NoAnswer(description: "an answer of more than \(limits.answerBytes) bytes")
                }
            case .end:
                if let head { return Reply(head: head, body: body, time: arrival.at - start) }
            }
        }
        throw NoAnswer(description: head == nil ? "closed without an answer" : "cut off within an answer")
    }

    /// An error as a person can read it.
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as NoAnswer: error.description
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case ChannelError.connectTimeout: "no answer to the try to connect"
        case is NIOSSLExtraError: "it is for another name"
        case let error as NIOSSLError: words(tls: "\(error)")
        case let error as BoringSSLError: words(tls: "\(error)")
        case HTTPParserError.invalidEOFState: "the connection was closed"
        case is HTTPParserError: "what answers speaks no HTTP (\(error))"
        default: "\(error)"
        }
    }

    /// What the TLS library says names places in its source; what matters is in its words.
    private static func words(tls text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "no authority that this system trusts issued it"
        }
        if text.contains("WRONG_VERSION_NUMBER") { return "what answers speaks no TLS" }
        if text.contains("PROTOCOL_VERSION") { return "no version of TLS that both speak" }
        return "the TLS handshake failed"
    }
}
