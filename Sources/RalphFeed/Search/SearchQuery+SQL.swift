/// A query as SQLite takes it; always bound as a parameter.
extension SearchQuery {
    /// The query of an FTS5 table (sqlite.org/fts5.html, section 3): every term is a string in quotes.
    var matchExpression: String {
        let all = wanted.map(\.matchExpression).joined(separator: " AND ")
        guard !excluded.isEmpty else { return all }
        return "(\(all)) NOT (\(excluded.map(\.matchExpression).joined(separator: " OR ")))"
    }
}

extension SearchQuery.Term {
    /// The term as the index has its words.
    var prepared: [UInt8] { SearchText.prepare(Array(text.utf8)) }

    fileprivate var matchExpression: String {
        let text = String(decoding: prepared, as: UTF8.self).replacing("\"", with: "\"\"")
        return "\"\(text)\"" + (isPrefix ? " *" : "")
    }

    /// The pattern of LIKE that covers every text with the term in it; `\` is its escape.
    var likePattern: [UInt8] {
        var pattern: [UInt8] = [UInt8(ascii: "%")]
        for byte in prepared {
            if [UInt8(ascii: "%"), UInt8(ascii: "_"), UInt8(ascii: "\\")].contains(byte) {
                pattern.append(UInt8(ascii: "\\"))
            }
            pattern.append(byte)
        }
        return pattern + [UInt8(ascii: "%")]
    }
}
