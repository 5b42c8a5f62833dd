/// Text of others, such as paths, topics and names, made fit for a terminal or a line of a log.
package enum TerminalText {
    /// `text` as one line in which nothing steers a terminal or hides how it reads.
    ///
    /// Line ends, the controls C0 and C1, DEL, the separators U+2028 and U+2029 and the bidirectional controls
    /// U+202A … U+202E and U+2066 … U+2069 become `\u{…}` with their number in hexadecimal.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                safe += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
