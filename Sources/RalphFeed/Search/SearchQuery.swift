/// The words that a person typed, taken literally: nothing in them is ever syntax of SQL or of FTS5.
///
/// Plain words must all be there; `"several words"` stand in this order; a `-` in front excludes; a `*` behind stands for any
/// rest of the word. Everything else, operators, parentheses and a quote without its partner included, is text
/// like any other. What holds no letter, digit or symbol says nothing and is passed over.
package struct SearchQuery: Sendable, Equatable {
    /// One word or phrase.
    struct Term: Sendable, Equatable {
        /// As typed, without the signs around it.
        let text: String
        var isPrefix = false
    }

    /// Why a text cannot be searched for.
    package enum Refusal: Error, Sendable, Equatable {
        /// Longer than ``maximumBytes``.
        case tooLong
        /// More words and phrases than ``maximumTerms``.
        case tooManyTerms
        /// Nothing that has to be there: empty, only signs, or only exclusions.
        case nothingWanted
    }

    /// Length of the text, in bytes of UTF-8.
    package static let maximumBytes = 1024
    /// Words and phrases, excluded ones too.
    package static let maximumTerms = 32

    private(set) var wanted: [Term] = []
    private(set) var excluded: [Term] = []

    package init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
        var rest = Substring(text).unicodeScalars
        while let first = rest.first {
            if Self.isSpace(first) {
                rest.removeFirst()
                continue
            }
            let isExcluded = Self.removeMinus(&rest)
            let term = Self.removePhrase(&rest) ?? Self.removeWord(&rest)
            guard SearchText.hasWord(term.text) else { continue }
            if isExcluded { excluded.append(term) } else { wanted.append(term) }
        }
        guard wanted.count + excluded.count <= Self.maximumTerms else { throw .tooManyTerms }
        guard !wanted.isEmpty else { throw .nothingWanted }
    }

    /// Takes one `-` in front of a word; of `--force` both belong to the word.
    private static func removeMinus(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        guard rest.first == "-", let next = rest.dropFirst().first, next != "-", !isSpace(next) else {
            return false
        }
        rest.removeFirst()
        return true
    }

    private static func removePhrase(_ rest: inout Substring.UnicodeScalarView) -> Term? {
        guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        var term = Term(text: String(rest[rest.index(after: rest.startIndex)..<end]))
        rest = rest[rest.index(after: end)...]
        if rest.first == "*" {
            rest.removeFirst()
            term.isPrefix = true
        }
        return term
    }

    private static func removeWord(_ rest: inout Substring.UnicodeScalarView) -> Term {
        let end = rest.firstIndex(where: isSpace) ?? rest.endIndex
        var word = rest[..<end]
        rest = rest[end...]
        let isPrefix = word.last == "*"
        while word.last == "*" { word.removeLast() }
        return Term(text: String(word), isPrefix: isPrefix)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }
}
