import RalphFeed

/// A stretch of a stream's past, in order.
struct ReplayChunk: Sendable {
    /// One part of a stretch.
    enum Piece: Sendable {
        case events(BlockSlice)
        case gap(StreamGap)
    }

    var pieces: [Piece] = []
    /// The cursor behind the stretch; the one asked for if there is nothing.
    var through: Int64
}
