import GRDB
import RalphWire

extension EventStore {
    /// Where the events `from ... through` of `id` lie, see ``ArchiveSegment``.
    func archiveSegments(
        _ id: SessionID, from: Int64, through: Int64
    ) throws(StoreError) -> [ArchiveSegment] {
        try read { db in
            guard let session = try Self.session(id, db) else { return [] }
            let end = min(through, session.head.last) + 1
            guard max(1, from) < end else { return [] }
            let select = try SQLStatement(Self.selectArchive, on: db)
            select.bind(1, session.key)
            select.bind(2, max(1, from))
            select.bind(3, end)
            var segments: [ArchiveSegment] = []
            try select.forEachRow {
                if !segments.isEmpty {
                    segments[segments.count - 1].count = select.integer(0) - segments[segments.count - 1].seq
                }
                segments.append(Self.segment(select, end: end))
                return true
            }
            return segments
        }
    }

    /// The first event of each file of `id`, as a segment of its own, without iteration and hat.
    func archiveBeginnings(_ id: SessionID) throws(StoreError) -> [ArchiveSegment] {
        try read { db in
            guard let session = try Self.session(id, db) else { return [] }
            let select = try SQLStatement(Self.selectBeginnings, on: db)
            select.bind(1, session.key)
            var segments: [ArchiveSegment] = []
            try select.forEachRow {
                segments.append(Self.segment(select, end: select.integer(0) + 1))
                return true
            }
            return segments
        }
    }

    /// The segment of a row, as if it were the last before `end`.
    private static func segment(_ row: SQLStatement, end: Int64) -> ArchiveSegment {
        let seq = row.integer(0)
        guard !row.isNull(1) else {
            return ArchiveSegment(seq: seq, count: end - seq, context: nil, offset: -1)
        }
        let context = EventBatch.Context(
            file: row.text(1), generation: Int(row.integer(2)), iteration: Int(row.integer(4)),
            hat: row.text(5))
        return ArchiveSegment(seq: seq, count: end - seq, context: context, offset: row.integer(3))
    }

    private static let selectBeginnings = """
        SELECT seq, file, generation, offset, 0, '' FROM archive_beginning WHERE session = ?1 ORDER BY file
        """
    private static let selectArchive = """
        SELECT seq, file, generation, offset, iteration, hat FROM archive_index
        WHERE session = ?1 AND seq < ?3 AND seq >= coalesce(
            (SELECT max(seq) FROM archive_index WHERE session = ?1 AND seq <= ?2), 0)
        ORDER BY seq
        """
}
