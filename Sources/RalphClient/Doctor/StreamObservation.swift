import NIOHTTP1

/// What was seen of one event stream.
struct StreamObservation: Sendable {
    /// `nil`: none came.
    var head: HTTPResponseHead?
    /// From the request to the head.
    var headTime: Duration = .zero
    /// When bytes came, since the head.
    var pieces: [Duration] = []
    /// The first bytes.
    var opening: [UInt8] = []
    /// How long it lived, since the head.
    var life: Duration = .zero
    /// Whether it was still there when we had seen enough.
    var survived = false
    /// Why it ended, if that is known.
    var reason: String?

    /// Pieces of which the times are kept; more prove nothing more.
    static let maximumPieces = 2048
    /// Bytes of ``opening`` that are kept.
    static let maximumOpening = 2048

    /// The longest time without a byte behind the first one.
    var longestSilence: Duration {
        var last = pieces.first ?? .zero
        var longest = Duration.zero
        for piece in pieces.dropFirst() + [life] {
            longest = max(longest, piece - last)
            last = piece
        }
        return longest
    }
}
