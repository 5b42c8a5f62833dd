/// The bounds of a connection (http-contract 1.1, issue limits); each has a test.
package struct HTTPLimits: Sendable {
    /// Request line and headers together, bytes; more is 431.
    package var maximumHeaderBytes = 64 * 1024
    /// Header fields of one request; more is 431.
    package var maximumHeaderFields = 128
    /// A request body, bytes; more is 413.
    package var maximumBodyBytes = 8 << 20
    /// Seconds for the first request's head to arrive whole; slower is 408.
    package var headSeconds: Int64 = 10
    /// Seconds for a body to arrive whole; slower is 408.
    package var bodySeconds: Int64 = 30
    /// Seconds that an idle connection is kept between requests; at least 120 for the app's connection pool.
    package var idleSeconds: Int64 = 150
    /// Seconds for a client to take the last response of a connection, or a part of any other.
    package var closingSeconds: Int64 = 60
    /// Requests and streams at once on one HTTP/2 connection; further ones are refused (RFC 9113, 5.1.2).
    package var concurrentStreams = 100
    /// Connections at once; further ones are answered 503 and closed.
    package var maximumConnections = 10_000

    package init() {}
}
