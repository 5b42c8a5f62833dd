import NIOCore

/// A connection on which one request was sent.
struct Exchange: Sendable {
    let channel: any Channel
    /// When the TCP connection was there.
    let connectedAt: ContinuousClock.Instant
    /// What comes back; ends with the connection.
    let arrivals: AsyncThrowingStream<Arrival, any Error>

    /// Ends the connection.
    func close() { channel.close(promise: nil) }
}
