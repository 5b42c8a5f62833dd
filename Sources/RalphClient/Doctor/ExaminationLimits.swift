/// How long an examination waits for what.
package struct ExaminationLimits: Sendable {
    /// For a name server.
    package var lookup = Duration.seconds(5)
    /// For a connection, and for the handshake on it.
    package var connect = Duration.seconds(5)
    /// For an answer, head and body.
    package var answer = Duration.seconds(10)
    /// For the first byte of a stream behind its head.
    package var firstByte = Duration.seconds(5)
    /// The server's own rhythm of keep-alives (http-contract 4.5).
    package var keepAlive = Duration.seconds(15)
    /// What a keep-alive may be late.
    package var slack = Duration.seconds(3)
    /// How long a stream is watched.
    package var watch = Duration.seconds(20)
    /// Bytes of an answer that are read.
    package var answerBytes = 256 << 10

    /// Seconds that a stream may be watched.
    package static let watchSeconds = 1...600

    package init() {}
}
