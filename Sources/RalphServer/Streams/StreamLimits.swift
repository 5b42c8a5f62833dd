/// The bounds of streams (http-contract 4.5, design 3.5).
package struct StreamLimits: Sendable {
    /// Seconds of silence before a keep-alive.
    package var keepAliveSeconds: Int64 = 15
    /// Seconds without the peer taking a byte that waits for it, in the server or the kernel, before it is cut.
    package var stallSeconds: Int64 = 60
    /// Seconds that an idle stream of an ended session stays open.
    package var endedIdleSeconds: Int64 = 600
    /// Streams of the whole server; more are answered 503.
    package var maximumStreams = 50_000
    /// Streams of one paired device; more are answered 429. The app leaves one open each time it goes to another session.
    package var maximumPerDevice = 64
    /// Streams of one peer on another machine; more are answered 429.
    package var maximumPerPeer = 256
    /// Streams that the ingest thread writes to by itself; each costs a descriptor more.
    package var maximumLent = 2048

    package init() {}
}
