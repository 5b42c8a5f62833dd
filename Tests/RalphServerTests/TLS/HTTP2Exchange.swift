import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import RalphTestSupport
import Synchronization

/// One request of an ``HTTP2Probe`` and what comes back.
final class HTTP2Exchange: Sendable {
    /// What came so far.
    struct Answer: Sendable {
        var status = 0
        /// Names as they came, which is in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// The server's half was ended properly.
        var hasEnded = false
        /// The stream is gone.
        var isClosed = false
        /// Why it was reset, if it was.
        var reset: HTTP2ErrorCode?

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(body)) }

        /// The ids of the events in an event stream.
        var eventIDs: [Int] {
            text.components(separatedBy: "\n\n").dropLast().compactMap { frame in
                let lines = frame.split(separator: "\n")
                guard lines.contains(where: { $0.hasPrefix("data:") }) else { return nil }
                return lines.first { $0.hasPrefix("id:") }.flatMap { Int($0.dropFirst(3).filter(\.isNumber)) }
            }
        }
    }

    /// Puts what comes into the exchange.
    final class Collector: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload

        private let exchange: HTTP2Exchange

        init(_ exchange: HTTP2Exchange) { self.exchange = exchange }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            exchange.take(unwrapInboundIn(data))
        }

        func channelInactive(context: ChannelHandlerContext) {
            exchange.answer.withLock { $0.isClosed = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            guard let error = error as? NIOHTTP2Errors.StreamClosed else { return }
            exchange.answer.withLock { $0.reset = error.errorCode }
        }
    }

    private let answer = Mutex(Answer())
    private let stream = Mutex<(any Channel)?>(nil)

    fileprivate func take(_ payload: HTTP2Frame.FramePayload) {
        answer.withLock { answer in
            switch payload {
            case .headers(let content):
                for (name, value, _) in content.headers {
                    if name == ":status" {
                        answer.status = Int(value) ?? 0
                    } else {
                        answer.headers[name] = value
                    }
                }
                answer.hasEnded = content.endStream
            case .data(let content):
                if case .byteBuffer(let bytes) = content.data { answer.body += bytes.readableBytesView }
                answer.hasEnded = content.endStream
            default: break
            }
        }
    }

    func connect(_ stream: any Channel) { self.stream.withLock { $0 = stream } }

    /// What came so far.
    var now: Answer { answer.withLock { $0 } }

    /// Takes no more, so that the server's window closes; or goes on.
    func setReading(_ isOn: Bool) async throws {
        guard let stream = stream.withLock({ $0 }) else { return }
        try await stream.setOption(.autoRead, value: isOn).get()
        if isOn { stream.read() }
    }

    /// Takes what has come, at most what the server was given leave to send, while nothing is read by itself.
    func take() { stream.withLock { $0 }?.read() }

    /// Resets the stream.
    func cancel() { stream.withLock { $0 }?.close(promise: nil) }

    /// Waits for the answer's head.
    func head(within limit: Duration = .seconds(10)) async throws -> Answer {
        try await eventually(within: limit, "head of an answer") { now.status > 0 || now.isClosed }
        return now
    }

    /// Waits until the stream is closed.
    func end(within limit: Duration = .seconds(20)) async throws -> Answer {
        try await eventually(within: limit, "end of an answer") { now.isClosed }
        return now
    }

    /// Waits for events up to `last` and gives the ids of all that came.
    func events(through last: Int, within limit: Duration = .seconds(20)) async throws -> [Int] {
        try await eventually(within: limit, "event \(last)") { now.eventIDs.last.map { $0 >= last } ?? false }
        return now.eventIDs
    }
}
