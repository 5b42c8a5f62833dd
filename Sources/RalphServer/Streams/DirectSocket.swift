import Foundation
import NIOCore

/// Writes to a stream's socket without the channel in between, as long as nothing waits in the channel: a
/// `send(2)` costs what the kernel takes, and nothing else.
struct DirectSocket {
    let descriptor: Int32
    /// Writes that the channel has not finished; while there are any, bytes must queue behind them.
    private(set) var queued = 0

    /// - Parameter descriptor: the socket; the channel owns it and closes it.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The channel takes a write.
    mutating func noteQueued() { queued += 1 }

    /// The channel has finished a write.
    mutating func noteFinished() { queued -= 1 }

    /// Sends what the socket takes now and gives what is left: `nil` if nothing is.
    ///
    /// An error leaves everything; the channel then meets it too and ends the stream.
    func send(_ buffer: ByteBuffer) -> ByteBuffer? {
        guard queued == 0 else { return buffer }
        let sent = buffer.withUnsafeReadableBytes { bytes in
            Foundation.send(descriptor, bytes.baseAddress, bytes.count, Self.flags)
        }
        guard sent < buffer.readableBytes else { return nil }
        var rest = buffer
        if sent > 0 { rest.moveReaderIndex(forwardBy: sent) }
        return rest
    }

    #if os(Linux)
    private static let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    #else
    private static let flags = MSG_DONTWAIT
    #endif
}
