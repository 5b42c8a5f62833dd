import Foundation
import Synchronization

/// Connections that were told that there are too many, until their clients have hung up.
///
/// What a client still sends to a closed connection is answered with a reset, which may take from it what it was told (RFC 9112,
/// 9.6).
final class RefusedConnections: Sendable {
    /// Of more than so many the oldest is closed at once.
    static let maximum = 64
    /// How long one is kept.
    private static let patience = Duration.seconds(2)
    /// How many bytes of one are dropped in a second.
    private static let droppedBytes = 64 << 10

    private let waiting = Mutex<[Waiting]>([])

    private struct Waiting {
        let descriptor: Int32
        let until: ContinuousClock.Instant
    }

    deinit { closeAll() }

    /// Ends a connection whose last word was written.
    func take(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
        let oldest = waiting.withLock { waiting in
            waiting.append(Waiting(descriptor: descriptor, until: .now + Self.patience))
            return waiting.count > Self.maximum ? waiting.removeFirst() : nil
        }
        if let oldest { _ = close(oldest.descriptor) }
    }

    /// Drops what has come, and closes what is over; each second.
    func tick() {
        let now = ContinuousClock.now
        waiting.withLock { waiting in
            waiting.removeAll { connection in
                guard now >= connection.until || Self.isOver(connection.descriptor) else { return false }
                _ = close(connection.descriptor)
                return true
            }
        }
    }

    func closeAll() {
        waiting.withLock { waiting in
            for connection in waiting { _ = close(connection.descriptor) }
            waiting = []
        }
    }

    /// Whether the client has hung up.
    private static func isOver(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: droppedBytes, alignment: 16) { buffer in
            let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            return count == 0 || count < 0 && ![EAGAIN, EINTR].contains(errno)
        }
    }
}
