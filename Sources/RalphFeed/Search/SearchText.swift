/// How texts are prepared for the index, and the words of a query in the same way.
///
/// The tokenizer takes a run of letters as one word, which in scripts that write no spaces would be a whole
/// sentence. So each character of such a script, and each symbol, stands between two ``separator``s; a query's
/// word of several of them is then a phrase, and any part of a sentence can be found. Other control characters
/// become spaces, so that ours mean what they mean.
enum SearchText {
    /// U+001F, which the tokenizer does not take for a letter.
    static let separator: UInt8 = 0x1F
    /// What stands before a match in the text that SQLite gives back: U+0001.
    static let opening: UInt8 = 1
    /// What stands behind a match: U+0002.
    static let closing: UInt8 = 2

    /// `text`, which is UTF-8, prepared; cut before the character that would go beyond `limit` bytes.
    static func prepare(_ text: [UInt8], limit: Int = .max) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(min(limit, text.count))
        var index = 0
        while index < text.count, result.count < limit {
            let byte = text[index]
            if byte < 0x80 {
                result.append(byte < 0x20 || byte == 0x7F ? 0x20 : byte)
                index += 1
                continue
            }
            let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
            guard index + length <= text.count, result.count + length + 2 <= limit else { break }
            var value = UInt32(byte) & (0xFF >> UInt32(length + 1))
            for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
            let stands = standsAlone(value)
            if stands { result.append(separator) }
            result += text[index..<index + length]
            if stands { result.append(separator) }
            index += length
        }
        return result
    }

    /// `text` without separators: what was prepared, but for its control characters.
    static func restore(_ text: some Sequence<UInt8>) -> [UInt8] { text.filter { $0 != separator } }

    /// Whether the tokenizer finds a word in `text`.
    static func hasWord(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .decimalNumber, .letterNumber, .otherNumber, .privateUse, .otherSymbol:
                true
            default: false
            }
        }
    }

    /// Whether the character is of a script that writes no spaces between words (Thai to Khmer, Chinese, Japanese,
    /// Korean, whose words carry endings), or a symbol (arrows to dingbats, emoji).
    private static func standsAlone(_ value: UInt32) -> Bool {
        switch value {
        case ..<0x0E00: false
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF, 0x2190...0x2BFF,
            0x2E80...0x2FDF, 0x3040...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7AF,
            0xF900...0xFAFF, 0xFF66...0xFFDC, 0x1F000...0x1FAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}
