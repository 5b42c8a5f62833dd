import RalphWire

/// A point in time as a request says it: a duration back, unix seconds, or an RFC 3339 timestamp.
enum PointInTime {
    /// Numbers from here on are unix seconds.
    static let smallestUnixTime: Int64 = 1_000_000_000
    /// The last second of the year 9999.
    private static let largestUnixTime: Int64 = 253_402_300_799

    /// Milliseconds since 1970; `nil` if `text` is none of the three.
    ///
    /// - Parameter text: `90s`, `10m`, `2h`, `3d`; a number of 10 digits up to the year 9999; a timestamp.
    static func parse(_ text: String, now: Int64) -> Int64? {
        if let number = Int64(text) {
            // What is beyond them is most likely milliseconds, and would pass over everything without a word.
            return (smallestUnixTime...largestUnixTime).contains(number) ? number * 1000 : nil
        }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...3_650_000).contains(count)
        {
            return now - count * unit * 1000
        }
        var bytes = Array(text.utf8)
        // Where a query was not escaped, the plus of an offset such as +01:00 has become a space.
        if bytes.count > 6, bytes.contains(UInt8(ascii: "T")), bytes[bytes.count - 6] == UInt8(ascii: " ") {
            bytes[bytes.count - 6] = UInt8(ascii: "+")
        }
        return Timestamp.parse(bytes)
    }
}
