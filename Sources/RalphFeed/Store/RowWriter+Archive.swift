import GRDB
import RalphWire

/// Where events lie in Ralph's own files.
extension RowWriter {
    /// A row that may tell of a file that is gone.
    private struct Place {
        let seq: Int64
        let isOfNoFile: Bool
        let isGone: Bool
    }

    /// How many rows are looked at before any of them is changed.
    private static let rowsAtOnce = 256

    /// Where a stretch begins: events from `seq` on are objects of the context's file from `offset` on, or of none.
    struct Stretch {
        let seq: Int64
        let context: EventBatch.Context?
        let offset: Int64
    }

    /// Notes `stretches`, many at once: where iterations are short, there are more of them than events that are kept.
    func insertArchive(_ stretches: [Stretch], session: Int64) throws {
        var rest = stretches[...]
        while let insert = Self.archiveInserts.first(where: { $0.rows <= rest.count }) {
            let statement = try SQLStatement(insert.sql, on: db)
            for (row, stretch) in rest.prefix(insert.rows).enumerated() {
                statement.bind(row, stretch, session)
            }
            try statement.run()
            rest = rest.dropFirst(insert.rows)
        }
    }

    /// Notes where the first row of the context's file is, unless that is noted.
    func insertBeginning(_ context: EventBatch.Context, offset: Int64, session: Int64, seq: Int64) throws {
        let beginning = try SQLStatement(
            "INSERT OR IGNORE INTO archive_beginning VALUES (?1, ?2, ?3, ?4, ?5)", on: db)
        beginning.bind(1, session)
        beginning.bind(2, text: context.file)
        beginning.bind(3, seq)
        beginning.bind(4, context.generation)
        beginning.bind(5, offset)
        try beginning.run()
    }

    /// The removal of the rows of `file` from its first one on; `nil`: there are none.
    func removal(of file: String, session: Int64) throws -> ArchiveRemoval? {
        let select = try SQLStatement(
            "SELECT seq FROM archive_beginning WHERE session = ?1 AND file = ?2", on: db)
        select.bind(1, session)
        select.bind(2, text: file)
        var first: Int64?
        try select.forEachRow {
            first = select.integer(0)
            return false
        }
        guard let first else { return nil }
        return ArchiveRemoval(
            session: session, file: file, next: first,
            isBehindNone: try isOfNoFile(before: first, session: session))
    }

    /// Notes that a file is gone for good: its events are of no file, and one row stands for all that follow each other.
    ///
    /// - Parameter pace: when to rest between rows, which are as many as the file had events.
    func finish(_ removal: ArchiveRemoval, pace: inout WorkPace) throws {
        var removal = removal
        // Rows came behind those that it has looked at, and another removal may have changed the last of them.
        removal.isOver = false
        removal.isBehindNone = try isOfNoFile(before: removal.next, session: removal.session)
        while !removal.isOver { try goOn(with: &removal, pace: &pace) }
        let delete = try SQLStatement(
            "DELETE FROM archive_beginning WHERE session = ?1 AND file = ?2", on: db)
        delete.bind(1, removal.session)
        delete.bind(2, text: removal.file)
        try delete.run()
    }

    /// Looks at the next ``rowsAtOnce`` rows.
    func goOn(with removal: inout ArchiveRemoval, pace: inout WorkPace) throws {
        let places = try places(from: removal.next, of: removal.file, session: removal.session)
        // What stands behind each other goes at once.
        var deleted: ClosedRange<Int64>?
        for place in places {
            let isOfNone = place.isOfNoFile || place.isGone
            if isOfNone, removal.isBehindNone {
                deleted = (deleted?.lowerBound ?? place.seq)...place.seq
            } else {
                try delete(deleted, session: removal.session)
                deleted = nil
                if place.isGone { try clear(place.seq, session: removal.session) }
            }
            removal.isBehindNone = isOfNone
            pace.restIfDue()
        }
        try delete(deleted, session: removal.session)
        if let last = places.last { removal.next = last.seq + 1 }
        removal.isOver = places.count < Self.rowsAtOnce
    }

    private func isOfNoFile(before seq: Int64, session: Int64) throws -> Bool {
        let select = try SQLStatement(Self.selectBefore, on: db)
        select.bind(1, session)
        select.bind(2, seq)
        var isOfNone = false
        try select.forEachRow {
            isOfNone = select.integer(0) != 0
            return false
        }
        return isOfNone
    }

    private func places(from seq: Int64, of file: String, session: Int64) throws -> [Place] {
        let select = try SQLStatement(Self.selectPlaces, on: db)
        select.bind(1, session)
        select.bind(2, seq)
        select.bind(3, text: file)
        select.bind(4, Self.rowsAtOnce)
        var places: [Place] = []
        try select.forEachRow {
            places.append(
                Place(
                    seq: select.integer(0), isOfNoFile: select.integer(1) != 0,
                    isGone: select.integer(2) != 0))
            return true
        }
        return places
    }

    private func clear(_ seq: Int64, session: Int64) throws {
        let statement = try SQLStatement(Self.clearPlace, on: db)
        statement.bind(1, session)
        statement.bind(2, seq)
        try statement.run()
    }

    private func delete(_ seqs: ClosedRange<Int64>?, session: Int64) throws {
        guard let seqs else { return }
        let statement = try SQLStatement(Self.deletePlaces, on: db)
        statement.bind(1, session)
        statement.bind(2, seqs.lowerBound)
        statement.bind(3, seqs.upperBound)
        try statement.run()
    }

    private static let archiveInserts = [16, 4, 1].map { rows in
        let values = repeatElement("(?,?,?,?,?,?,?)", count: rows).joined(separator: ",")
        return (rows: rows, sql: "INSERT INTO archive_index VALUES \(values)")
    }
    private static let selectBefore = """
        SELECT file IS NULL FROM archive_index WHERE session = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1
        """
    private static let selectPlaces = """
        SELECT seq, file IS NULL, file IS ?3 FROM archive_index
        WHERE session = ?1 AND seq >= ?2 ORDER BY seq LIMIT ?4
        """
    private static let deletePlaces =
        "DELETE FROM archive_index WHERE session = ?1 AND seq BETWEEN ?2 AND ?3"
    private static let clearPlace = """
        UPDATE archive_index SET file = NULL, generation = NULL, offset = NULL, iteration = NULL, hat = NULL
        WHERE session = ?1 AND seq = ?2
        """
}

extension SQLStatement {
    /// Binds the values of a stretch of `session` for the `row`th row of `archive_index`, from 0.
    fileprivate func bind(_ row: Int, _ stretch: RowWriter.Stretch, _ session: Int64) {
        let first = Int32(row * 7)
        bind(first + 1, session)
        bind(first + 2, stretch.seq)
        guard let context = stretch.context else {
            for column in 3...7 { bindNull(first + Int32(column)) }
            return
        }
        bind(first + 3, text: context.file)
        bind(first + 4, context.generation)
        bind(first + 5, stretch.offset)
        bind(first + 6, context.iteration)
        bind(first + 7, text: context.hat)
    }
}
