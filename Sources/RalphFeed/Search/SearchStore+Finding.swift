import Foundation
import GRDB
import RalphWire

/// What a search does.
extension SearchStore {
    /// How many steps of its machine SQLite makes between two looks at the clock.
    private static let stepsPerLook: Int32 = 500
    /// Words of a snippet.
    private static let snippetWords = 40

    /// The newest events that fit `request`, at most `limit`, without the events themselves; topic and hat are compared as
    /// they were prepared, see ``SearchRequest/wants(_:)``.
    ///
    /// - Throws: ``SearchError/timeout`` at the deadline, else what SQLite reports.
    func find(_ request: SearchRequest, limit: Int) throws -> [SearchPage.Hit] {
        let deadline = StatementDeadline(request.deadline)
        guard !deadline.isOver else { throw SearchError.timeout }
        do {
            return try pool.read { db in
                try interrupting(db, at: deadline) {
                    guard let wantsTopic = request.wantsIndexedTopic ?? request.wantsTopic else {
                        return try find(request, limit: limit, db)
                    }
                    let function = DatabaseFunction("wants_topic", argumentCount: 1) { values in
                        let topic = String.fromDatabaseValue(values[0]) ?? ""
                        return wantsTopic(SearchText.restore(topic.utf8))
                    }
                    db.add(function: function)
                    defer { db.remove(function: function) }
                    return try find(request, limit: limit, db)
                }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT && deadline.isOver {
            throw SearchError.timeout
        }
    }

    /// Runs `body`, which fails with `SQLITE_INTERRUPT` soon after the deadline.
    private func interrupting<Result>(
        _ db: Database, at deadline: StatementDeadline, _ body: () throws -> Result
    ) throws -> Result {
        let connection = db.sqliteConnection
        deadline.watch(connection, every: Self.stepsPerLook)
        defer { StatementDeadline.unwatch(connection) }
        return try withExtendedLifetime(deadline) { try body() }
    }

    private func find(_ request: SearchRequest, limit: Int, _ db: Database) throws -> [SearchPage.Hit] {
        let select = try SQLStatement(sql(request), on: db)
        bind(request, limit, to: select)
        let patterns = request.query.wanted.map(\.prepared)
        var found: [SearchPage.Hit] = []
        try select.forEachRow {
            guard let session = SessionID(select.text(1)) else { return true }
            let snippet: SearchSnippet
            switch mode {
            case .fts5: snippet = SearchSnippet(marked: Array(select.bytes(4)))
            case .like: snippet = SearchSnippet(of: Array(select.bytes(4)), terms: patterns)
            }
            found.append(
                SearchPage.Hit(
                    session: session, seq: select.integer(2), globalID: select.integer(0),
                    timestamp: select.integer(3), snippet: snippet))
            return true
        }
        return found
    }

    /// Entries come out by their global id, which is the row id of both tables, so nothing is sorted.
    private func sql(_ request: SearchRequest) -> String {
        var wanted = ["e.global_id < ?1"]
        let source: String
        let snippet: String
        switch mode {
        case .fts5:
            source = "words CROSS JOIN entry e ON e.global_id = words.rowid"
            snippet = "snippet(words, -1, char(1), char(2), '…', \(Self.snippetWords))"
            wanted = ["words MATCH ?2", "words.rowid < ?1"]
        case .like:
            source = "entry e"
            snippet =
                "CASE WHEN \(like("e.text", 10)) THEN e.text ELSE e.topic || ' ' || e.hat || ' ' || e.tool END"
            for index in request.query.wanted.indices { wanted.append("(\(likeAny(10 + index)))") }
            for index in request.query.excluded.indices {
                wanted.append("NOT (\(likeAny(10 + request.query.wanted.count + index)))")
            }
        }
        if request.session != nil { wanted.append("e.session = (SELECT key FROM session WHERE id = ?3)") }
        if request.hat != nil { wanted.append("e.hat = ?4") }
        if request.since != nil { wanted.append("e.ts > ?5") }
        if request.until != nil { wanted.append("e.ts <= ?6") }
        if request.wantsTopic != nil { wanted.append("wants_topic(e.topic)") }
        return """
            SELECT e.global_id, s.id, e.seq, e.ts, \(snippet)
            FROM \(source) CROSS JOIN session s ON s.key = e.session
            WHERE \(wanted.joined(separator: " AND ")) ORDER BY \(mode == .fts5 ? "words.rowid" : "e.global_id") DESC
            LIMIT ?7
            """
    }

    private func like(_ column: String, _ parameter: Int) -> String {
        "\(column) LIKE ?\(parameter) ESCAPE '\\'"
    }

    private func likeAny(_ parameter: Int) -> String {
        ["e.text", "e.topic", "e.hat", "e.tool"].map { like($0, parameter) }.joined(separator: " OR ")
    }

    private func bind(_ request: SearchRequest, _ limit: Int, to select: SQLStatement) {
        select.bind(1, request.before ?? .max)
        if mode == .fts5 { select.bind(2, text: request.query.matchExpression) }
        if let session = request.session { select.bind(3, text: session.rawValue) }
        if let hat = request.hat { select.bind(4, text: SearchText.prepare(Array(hat.utf8))) }
        if let since = request.since { select.bind(5, since) }
        if let until = request.until { select.bind(6, until) }
        select.bind(7, limit)
        guard mode == .like else { return }
        for (index, term) in (request.query.wanted + request.query.excluded).enumerated() {
            select.bind(Int32(10 + index), text: term.likePattern)
        }
    }
}
