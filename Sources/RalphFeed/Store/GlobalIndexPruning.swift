import GRDB

/// Takes rows out of `global_index` whose events have all left their session's ring.
///
/// It goes round the table in small steps, two rows looked at for each one inserted, so that the table is
/// never much larger than what it must hold and no append waits for a long clean-up.
struct GlobalIndexPruning: Sendable {
    /// After how many inserted rows a step is made.
    private static let insertsPerStep = 32
    /// How many rows a step looks at, at most; what is due beyond is the next step's.
    private static let rowsPerStep = 512

    private var inserts = 0
    /// The global id of the last row looked at.
    private var cursor: Int64 = 0

    mutating func noteInsert() { inserts += 1 }

    /// Makes the step that is due, inside the transaction at hand.
    mutating func run(on db: Database) throws {
        guard inserts >= Self.insertsPerStep else { return }
        let wanted = min(2 * inserts, Self.rowsPerStep)
        inserts -= wanted / 2
        let (last, count) = try rows(wanted, on: db)
        let delete = try SQLStatement(Self.delete, on: db)
        delete.bind(1, cursor)
        delete.bind(2, last)
        try delete.run()
        cursor = count < wanted ? 0 : last
    }

    /// The global id of the last of the next `limit` rows, and how many there are before the table ends.
    private func rows(_ limit: Int, on db: Database) throws -> (last: Int64, count: Int) {
        let select = try SQLStatement(
            """
            SELECT max(global_id), count(*) FROM (
                SELECT global_id FROM global_index WHERE global_id > ?1 ORDER BY global_id LIMIT ?2)
            """, on: db)
        select.bind(1, cursor)
        select.bind(2, limit)
        var found: (last: Int64, count: Int) = (cursor, 0)
        try select.forEachRow {
            found = (select.integer(0), Int(select.integer(1)))
            return false
        }
        return found
    }

    /// A stretch ends where the next one begins, whosever that is; the newest one has no next and stays. Where those
    /// between were taken out, it ends with the session's own next one among the rows looked at.
    private static let delete = """
        DELETE FROM global_index WHERE global_id IN (
            SELECT g.global_id FROM global_index g
            JOIN checkpoint c ON c.session = g.session AND c.name = ''
            WHERE g.global_id > ?1 AND g.global_id <= ?2 AND c.first_kept > g.seq AND (
                c.first_kept >= g.seq - g.global_id
                    + (SELECT n.global_id FROM global_index n WHERE n.global_id > g.global_id
                       ORDER BY n.global_id LIMIT 1)
                OR EXISTS (SELECT 1 FROM global_index n WHERE n.global_id > g.global_id AND n.global_id <= ?2
                           AND n.session = g.session AND n.seq <= c.first_kept)))
        """
}
