import GRDB
import RalphWire

/// Rows of `event` of one session that follow each other, on their way to become blocks again; no further one is read
/// when they are of ``maximumBytes``, since an event may have a mebibyte.
struct StoredRows {
    /// Of one read of the tables. Enough for its usual 1024 events.
    static let maximumBytes = 1 << 20

    private var batch = EventBatch()
    private var globalIDs: [Int64] = []
    private let firstSeq: Int64
    private let room: Int

    /// No rows yet; the first one to be read is number `firstSeq`, the last one that which goes beyond `room` bytes.
    init(firstSeq: Int64, room: Int) {
        self.firstSeq = firstSeq
        self.room = room
    }

    var count: Int { globalIDs.count }
    var bytes: Int { batch.items.last?.members.upperBound ?? 0 }
    var isFull: Bool { bytes >= room }

    /// Adds the rows of the slots `first ... last`.
    ///
    /// - Throws: `SQLITE_CORRUPT` if they are not the numbers that must be there.
    mutating func read(_ select: SQLStatement, slots first: Int64, _ last: Int64) throws {
        select.bind(1, first)
        select.bind(2, last)
        try select.forEachRow {
            guard select.integer(0) == firstSeq + Int64(count),
                let origin = EventOrigin(code: select.integer(3))
            else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "an event is out of place")
            }
            let members = select.bytes(8)
            let start = batch.bytes.count
            batch.bytes.append(contentsOf: members)
            let end = batch.bytes.count
            func range(_ column: Int32) -> Range<Int> {
                let lower = min(end, start + max(0, Int(select.integer(column))))
                return lower..<max(lower, min(end, start + Int(select.integer(column + 1))))
            }
            batch.items.append(
                EventBatch.Item(
                    members: start..<end, topic: range(4), type: range(6), timestamp: select.integer(2),
                    origin: origin, offset: -1, context: -1))
            globalIDs.append(select.integer(1))
            return !isFull
        }
    }

    /// The first rows, as long as their global id is their seq plus `difference`.
    func prefix(withGlobalIDMinusSeq difference: Int64) -> StoredRows {
        var rows = self
        let end = globalIDs.indices.first { globalIDs[$0] - firstSeq - Int64($0) != difference }
        guard let end else { return rows }
        rows.globalIDs.removeLast(count - end)
        rows.batch.items.removeLast(count - end)
        return rows
    }

    /// The blocks of the rows, the same bytes as when they were appended.
    func blocks(of id: SessionID) -> [EventBlock] {
        EventBlock.blocks(of: batch, session: id, firstSeq: firstSeq) { globalIDs[$0] }
    }
}
