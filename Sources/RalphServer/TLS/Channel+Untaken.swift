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
}
