import RalphFeed
import RalphWire

/// One subscriber: a position in a session's record, read on from memory and then from the store.
struct Cursor {
    let feed: EventFeed
    let session: SessionID
    var seq: Int64

    /// How much is taken at once from memory, in bytes, and from the store, in events.
    private static let pieceBytes = 256 * 1024
    private static let pieceEvents = 1000

    /// Reads up to the head and gives the bytes that there were.
    mutating func readOn() throws -> Int {
        var bytes = 0
        while true {
            switch feed.recent(session, after: seq, limitBytes: Self.pieceBytes) {
            case .caughtUp: return bytes
            case .blocks(let slices):
                for slice in slices {
                    bytes += slice.block.bytes(from: slice.range.lowerBound, to: slice.range.upperBound).count
                    seq = slice.block.firstSeq + Int64(slice.range.upperBound) - 1
                }
            case .older:
                for block in try feed.stored(session, after: seq, limit: Self.pieceEvents) {
                    bytes += block.bytes.count
                    seq = block.lastSeq
                }
            }
        }
    }
}
