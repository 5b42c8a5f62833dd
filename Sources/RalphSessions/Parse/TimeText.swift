import RalphWire

/// Writes times as the wire spells them, and remembers the newest second: lines that stand together were
/// mostly written together.
struct TimeText: Sendable {
    private var second: Int64 = .min
    private var text: [UInt8] = []

    /// Appends ``Timestamp``'s text for `milliseconds`.
    mutating func append(_ milliseconds: Int64, to bytes: inout [UInt8]) {
        guard (0...Timestamp.latest).contains(milliseconds) else {
            Timestamp.append(milliseconds, to: &bytes)
            return
        }
        let part = milliseconds % 1000
        if milliseconds - part != second {
            second = milliseconds - part
            text.removeAll(keepingCapacity: true)
            Timestamp.append(second, to: &text)
        }
        let digits = UInt32(truncatingIfNeeded: part)
        text[20] = UInt8(truncatingIfNeeded: 48 + digits / 100)
        text[21] = UInt8(truncatingIfNeeded: 48 + digits / 10 % 10)
        text[22] = UInt8(truncatingIfNeeded: 48 + digits % 10)
        bytes.append(contentsOf: text)
    }
}
