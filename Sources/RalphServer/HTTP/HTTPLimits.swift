/// The bounds of a connection (http-contract 1.1, issue limits); each has a test.
package struct HTTPLimits: Sendable {
    /// Request line and headers together, bytes; more is 431.
    package var maximumHeaderBytes = 64 * 1024
    /// What the parser of HTTP/1.1 may keep without having made anything of it, bytes; more is 431.
    var maximumUnparsedBytes: Int { 2 * maximumHeaderBytes }
    /// Header fields of one request; more is 431.
    package var maximumHeaderFields = 128
    /// The target in the request line, bytes; more is 414.
    package var maximumTargetBytes = 8 * 1024
    /// A request body, bytes; more is 413.
    package var maximumBodyBytes = 8 << 20
    /// A body of somebody who has no right, bytes; more is 413.
    static let maximumStrangerBodyBytes = 64 * 1024
    /// Seconds for the first request's head to arrive whole; slower is 408.
    package var headSeconds: Int64 = 10
    /// Seconds for a body to arrive whole; slower is 408.
    package var bodySeconds: Int64 = 30
    /// Seconds that an idle connection is kept between requests; at least 120 for the app's connection pool.
    package var idleSeconds: Int64 = 150
    /// Seconds for a client to take the last response of a connection, or a part of any other.
    package var closingSeconds: Int64 = 60
    /// Seconds for a client that was refused while it sent to come to the end of that, at most.
    package var discardSeconds: Int64 = 2
    /// Requests and streams at once on one HTTP/2 connection; further ones are refused (RFC 9113, 5.1.2).
    package var concurrentStreams = 100
    /// Connections at once; further ones are answered 503 and closed.
    package var maximumConnections = 10_000
    /// Connections of one peer on another machine at once, trusted proxies excepted; further ones are answered 503
    /// and closed. Where there are few descriptors, at most a quarter of all.
    package var maximumConnectionsPerPeer = 512
    /// Whether peers on this machine are held to that too; they are not but in tests.
    package var countsLoopback = false

    /// What may come with a body beside its content, bytes: sizes and extensions of chunks; more is 413.
    static let maximumFramingBytes = 1 << 20
    /// A body that is read though the answer is known, bytes, so that the connection can stay; of a longer one
    /// nothing is read.
    static let maximumDroppedBytes = 64 * 1024
    /// What a client may send on behind a refusal, bytes, before the connection is cut: the longest body and more.
    static let maximumDiscardedBytes = 16 << 20

    package init() {}
}
