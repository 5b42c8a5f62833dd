import CRalphSockets
import NIOCore

extension Channel {
    /// Bytes written that the other end has not taken; `nil` where that cannot be told. On the event loop.
    var untakenBytes: Int? {
        // An HTTP/2 stream has no such option, and ends the process when asked for it.
        guard parent == nil else {
            // Without its front the stream is closing.
            return try? pipeline.syncOperations.handler(type: HTTP2Stream.self).untakenBytes
        }
        // A channel that does not tell is closing.
        return (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? nil
    }

    /// Bytes written that the other end has not confirmed, those among them that the kernel has: it asks for more only when
    /// much of its share is gone. On the event loop.
    ///
    /// Of one stream among others of a connection the kernel knows nothing, unless the connection is full: then nothing moves
    /// but what the other end confirms of it.
    ///
    /// - Parameter socket: the connection's.
    func unconfirmedBytes(_ socket: Int32) -> Int {
        let isTold = parent?.isWritable != true
        return (untakenBytes ?? 0) + (isTold ? Int(max(0, ralph_unacknowledged(socket))) : 0)
    }
}
