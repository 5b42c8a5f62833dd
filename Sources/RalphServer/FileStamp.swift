import RalphWire

/// Times in names of files.
enum FileStamp {
    /// `YYYYMMDD-HHMMSS` in UTC of `milliseconds` since 1970, with any other `separator` for the hyphen.
    static func text(_ milliseconds: Int64, _ separator: String = "-") -> String {
        let digits = Timestamp.text(milliseconds).filter { $0.isASCII && $0.isNumber }
        return digits.prefix(8) + separator + digits.dropFirst(8).prefix(6)
    }
}
