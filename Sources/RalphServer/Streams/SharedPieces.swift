import NIOCore
import RalphFeed
import RalphWire

/// What streams of one loop that catch up with their sessions have sent lately, so that the next stream at the same
/// cursor sends the same bytes instead of having them read and made once more.
///
/// Streams fall behind at different events. A piece ends at the next multiple of ``grid`` at the latest, and where events
/// are too large for one to reach that, at the roundest number on the way: there they meet, and from there on they share.
/// What nobody wants for a moment is let go.
struct SharedPieces {
    /// Consecutive events of one session as one chunk of a body.
    struct Piece {
        /// The cursor behind it.
        let through: Int64
        let buffer: ByteBuffer
        /// When it was sent last, in the shard's seconds.
        fileprivate var second: Int64
        /// It ends at the newest event of its time: who comes later is better served with a longer one.
        fileprivate let isAtHead: Bool
    }

    private struct Key: Hashable {
        let session: SessionID
        let cursor: Int64
    }

    /// Pieces of one kind, the oldest of which go when they are too many.
    private struct Shelf {
        var pieces: [Key: Piece] = [:]
        /// In the order of their making; of those let go as well.
        var keys: [Key] = []
        var bytes = 0
        let maximumBytes: Int

        mutating func add(_ piece: Piece, for key: Key) {
            remove(key)
            pieces[key] = piece
            keys.append(key)
            bytes += piece.buffer.readableBytes
            var count = 0
            while bytes > maximumBytes, count < keys.count {
                remove(keys[count])
                count += 1
            }
            keys.removeFirst(count)
        }

        mutating func remove(_ key: Key) {
            if let piece = pieces.removeValue(forKey: key) { bytes -= piece.buffer.readableBytes }
        }

        /// The piece for `key`, which is sent in `second`.
        mutating func use(_ key: Key, second: Int64) -> Piece? {
            guard let piece = pieces[key] else { return nil }
            if piece.second != second, !piece.isAtHead { pieces[key]?.second = second }
            return piece
        }

        mutating func removeUnused(since second: Int64) {
            guard !keys.isEmpty else { return }
            for (key, piece) in pieces where piece.second < second { remove(key) }
            keys.removeAll { pieces[$0] == nil }
        }
    }

    /// A piece holds no event behind a multiple of this.
    static let grid: Int64 = 256
    /// From how many pieces to the head on a stream ends them where others do.
    static let nearPieces: Int64 = 4
    /// Bytes of pieces from one meeting place to the next, which every stream behind them will want.
    static let maximumBytes = 16 << 20
    /// Bytes of pieces that lead to the first meeting place, or to the newest event.
    static let maximumPartBytes = 1 << 20
    /// For how long a piece is kept that nobody sends, or that ends at the newest event, in seconds.
    static let idleSeconds: Int64 = 2

    private var whole = Shelf(maximumBytes: maximumBytes)
    private var parts = Shelf(maximumBytes: maximumPartBytes)

    /// The first multiple of the grid behind `cursor`.
    static func gridEnd(after cursor: Int64) -> Int64 { (cursor / grid + 1) * grid }

    /// Where a piece behind `cursor` ends that has room for the events through `reach`: on the grid, else at the number
    /// with the most zeros at its end, which is the same one for cursors that are near each other.
    static func end(after cursor: Int64, reach: Int64) -> Int64 {
        let next = gridEnd(after: cursor)
        guard reach < next else { return next }
        var end = reach
        while end & (end - 1) > cursor { end &= end - 1 }
        return end
    }

    /// The piece that continues `cursor`, if there is one; sent in the shard's `second`.
    mutating func piece(of session: SessionID, after cursor: Int64, second: Int64) -> Piece? {
        let key = Key(session: session, cursor: cursor)
        return whole.use(key, second: second) ?? parts.use(key, second: second)
    }

    /// Makes a piece of `slices`, which follow each other and `cursor`, and keeps it; of more than
    /// ``StreamShard/pieceBytes`` the first ones.
    ///
    /// - Parameter head: the session's newest event. Who is so near it that it is soon reached need not meet anybody.
    mutating func make(
        _ slices: [BlockSlice], of session: SessionID, after cursor: Int64, head: Int64, second: Int64
    ) -> Piece {
        let reach = Self.reach(of: slices, after: cursor)
        let isNear = head - reach <= Self.nearPieces * (reach - cursor)
        let end = Self.end(after: cursor, reach: isNear ? .max : reach)
        let slices = slices.compactMap { $0.through(min(reach, end)) }
        let buffer = ChunkFraming.chunk(capacity: slices.reduce(0) { $0 + $1.bytes.count }) { buffer in
            for slice in slices { buffer.writeBytes(slice.bytes) }
        }
        let through = slices.last?.lastSeq ?? cursor
        let isAtHead = through < end && through >= head
        let piece = Piece(through: through, buffer: buffer, second: second, isAtHead: isAtHead)
        let key = Key(session: session, cursor: cursor)
        if piece.through == end, Self.isMeetingPlace(cursor, before: end) {
            whole.add(piece, for: key)
        } else {
            parts.add(piece, for: key)
        }
        return piece
    }

    /// The last event of `slices` that a piece has room for.
    private static func reach(of slices: [BlockSlice], after cursor: Int64) -> Int64 {
        var reach = cursor
        var room = StreamShard.pieceBytes
        for slice in slices where room > 0 {
            let fitting = slice.prefix(bytes: room)
            reach = fitting.lastSeq
            room = fitting.range == slice.range ? room - fitting.bytes.count : 0
        }
        return reach
    }

    /// Whether other streams come to `cursor` too, to go on to `end`.
    private static func isMeetingPlace(_ cursor: Int64, before end: Int64) -> Bool {
        cursor == 0 || 2 * (cursor & -cursor) >= end - cursor
    }

    /// Gives back the memory of what nobody has sent for a while.
    mutating func tick(second: Int64) {
        whole.removeUnused(since: second - Self.idleSeconds)
        parts.removeUnused(since: second - Self.idleSeconds)
    }
}
