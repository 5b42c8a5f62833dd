import Yams

/// Words taken from files, cut to a bounded size.
enum LibraryText {
    /// The bytes as text, without a byte order mark; `nil` if they are no UTF-8.
    ///
    /// - Parameter isCut: whether the last character may be incomplete.
    static func decode(_ bytes: [UInt8], isCut: Bool = false) -> String? {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for missing in 0...(isCut ? min(3, bytes.count - start) : 0) {
            let part = bytes[start..<bytes.count - missing]
            if let text = String(validating: part, as: UTF8.self) { return text }
        }
        return nil
    }

    /// At most `maximum` bytes of `text`, cut between two characters of Unicode.
    static func cut(_ text: some StringProtocol, to maximum: Int = LibraryLimits.textBytes) -> String {
        let text = String(text)
        guard text.utf8.count > maximum else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: maximum)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// What the first line says if it is a comment (http-contract 5, description).
    static func comment(_ text: String) -> String {
        let line = text.prefix { !$0.isNewline }
        guard line.hasPrefix("#") else { return "" }
        return cut(trimmed(line.drop { $0 == "#" || $0 == " " || $0 == "\t" }))
    }

    /// The first line with words on it, at most 50 bytes long (http-contract 5, preview).
    static func preview(_ text: String) -> String {
        let words = trimmed(text.drop(while: \.isWhitespace).prefix { !$0.isNewline })
        return words.utf8.count > 50 ? cut(words, to: 47) + "..." : words
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    /// A scalar as text; `nil` if it is none, `null` or empty.
    static func text(_ node: Node?) -> String? {
        guard let node, node.null == nil, let text = node.scalar?.string, !text.isEmpty else { return nil }
        return cut(text)
    }

    /// A list of words, or one word; what is no word is left out.
    static func words(_ node: Node?) -> [String] {
        if let word = text(node) { return [word] }
        return node?.sequence?.prefix(LibraryLimits.members).compactMap(text) ?? []
    }
}
