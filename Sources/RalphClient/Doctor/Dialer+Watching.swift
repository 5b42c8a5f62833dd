import Foundation
import NIOCore
import NIOHTTP1

extension Dialer {
    /// Opens `target` as an event stream and looks on, ``ExaminationLimits/watch`` long at most.
    func watch(_ target: String, headers: [(String, String)], trust: Trust) async -> StreamObservation {
        var seen = StreamObservation()
        let start = ContinuousClock.now
        do {
            let exchange = try await open(target, headers: headers, trust: trust)
            defer { exchange.close() }
            // Ends the wait for a head that never comes, later the stream itself.
            var closing = exchange.closing(in: limits.answer)
            defer { closing.cancel() }
            var headAt: ContinuousClock.Instant?
            for try await arrival in exchange.arrivals {
                switch arrival.part {
                case .head(let head) where head.status.code >= 200:
                    closing.cancel()
                    closing = exchange.closing(in: limits.watch)
                    (seen.head, seen.headTime, headAt) = (head, arrival.at - start, arrival.at)
                    guard head.status.code == 200 else { return seen }
                case .body(let bytes): note(bytes, at: arrival.at - (headAt ?? start), in: &seen)
                case .end: seen.reason = "it was ended"
                default: break
                }
                if let headAt { seen.life = .now - headAt }
                if seen.reason != nil { break }
            }
            if let headAt { seen.life = .now - headAt }
        } catch {
            seen.reason = Self.words(error)
            if seen.head != nil { seen.life = .now - start - seen.headTime }
        }
        seen.survived = seen.head != nil && seen.life >= limits.watch
        return seen
    }

    private func note(_ bytes: ByteBuffer, at time: Duration, in seen: inout StreamObservation) {
        if seen.pieces.count < StreamObservation.maximumPieces { seen.pieces.append(time) }
        let room = StreamObservation.maximumOpening - seen.opening.count
        if room > 0 { seen.opening += bytes.readableBytesView.prefix(room) }
    }
}

extension Exchange {
    /// Ends it when the time is up.
    fileprivate func closing(in time: Duration) -> Scheduled<Void> {
        channel.eventLoop.scheduleTask(in: TimeAmount(time)) { end() }
    }
}
