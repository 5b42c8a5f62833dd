import GRDB

/// How words are found; decided once, when the index is opened.
package enum SearchMode: String, Sendable {
    /// SQLite's full-text index (sqlite.org/fts5.html).
    case fts5
    /// Comparing every kept event, where SQLite was built without FTS5.
    case like

    /// FTS5 if this SQLite has it, found out by trying.
    static func probe() throws -> SearchMode {
        try DatabaseQueue().inDatabase { db in
            do {
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE probe USING fts5(text, tokenize = \"\(tokenizer)\")")
                return .fts5
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                return .like
            }
        }
    }

    /// Words are runs of letters and digits; symbols such as emoji count as letters, because people search for
    /// them. Case makes no difference, nor do accents of Latin letters. See ``SearchText`` for scripts without spaces.
    static let tokenizer = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
}
