import NIOCore

/// A connection on which one request was sent.
struct Exchange: Sendable {
    let channel: any Channel
    /// When the TCP connection was there.
    let connectedAt: ContinuousClock.Instant
    /// What comes back; ends with the connection.
    let arrivals: AsyncThrowingStream<Arrival, any Error>
    /// Where ``arrivals`` come from.
    let continuation: AsyncThrowingStream<Arrival, any Error>.Continuation

    /// Ends the connection.
    func close() { channel.close(promise: nil) }

    /// Ends ``arrivals``, and then the connection: the farewell of TLS (RFC 8446, 6.1) can take seconds, in which
    /// nothing comes that is to be seen.
    func end() {
        continuation.finish()
        close()
    }
}
