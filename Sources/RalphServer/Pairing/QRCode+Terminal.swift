extension QRCode {
    /// The code as lines of half blocks, two modules a character, with its quiet zone.
    ///
    /// - Parameter isColoured: black on white by ANSI colours, whatever those of the terminal are; else blocks are
    ///   light, as on a dark terminal.
    package func terminalText(isColoured: Bool) -> String {
        let range = -Self.quietZone..<size + Self.quietZone
        var text = ""
        for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            if isColoured { text += "\u{1B}[38;5;16;48;5;231m" }
            for column in range {
                let (upper, lower) = (isDark(row, column), isDark(row + 1, column))
                text += Self.block(upper == isColoured, lower == isColoured)
            }
            text += isColoured ? "\u{1B}[0m\n" : "\n"
        }
        return text
    }

    /// The character whose upper and lower halves are filled so.
    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
