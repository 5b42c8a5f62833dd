/// Writing JSON text byte by byte, for the places where an encoder would cost more than the work itself.
public enum JSONText {
    /// Appends `text` as the inside of a JSON string, without quotes.
    ///
    /// Quotes, backslashes, controls (U+0080 to U+009F too), and U+2028 and U+2029, at which the real client's line reader
    /// breaks (http-contract 4.2), are escaped. Invalid UTF-8 must not come in.
    public static func appendEscaped(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        let isDone: Void? = text.withContiguousStorageIfAvailable { appendEscaped(buffer: $0, to: &bytes) }
        if isDone == nil { Array(text).withUnsafeBufferPointer { appendEscaped(buffer: $0, to: &bytes) } }
    }

    /// Stretches without anything to escape are copied in one piece.
    private static func appendEscaped(buffer text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        var start = 0
        var index = 0
        while index < text.count {
            let count = escapedBytes(text, at: index)
            guard count > 0 else {
                index += 1
                continue
            }
            bytes.append(contentsOf: text[start..<index])
            appendEscape(text, at: index, to: &bytes)
            index += count
            start = index
        }
        bytes.append(contentsOf: text[start...])
    }

    /// How many bytes the character at `index` has, if it is to be escaped; else 0.
    private static func escapedBytes(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch text[index] {
        case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F: 1
        case 0xC2: index + 1 < text.count && text[index + 1] < 0xA0 ? 2 : 0
        case 0xE2:
            index + 2 < text.count && text[index + 1] == 0x80 && text[index + 2] & 0xFE == 0xA8 ? 3 : 0
        default: 0
        }
    }

    /// Appends `text` as a JSON string with its quotes.
    public static func appendString(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends `texts` as a JSON array.
    package static func appendStrings(_ texts: [String], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            appendString(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Appends `value` in decimal digits.
    public static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 10, value >= 0 {
            bytes.append(48 + UInt8(value))
        } else if value > 0 {
            let digits = DecimalDigits(value)
            let start = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: digits.count))
            bytes.withUnsafeMutableBytes {
                if let base = $0.baseAddress { _ = digits.write(to: base, at: start) }
            }
        } else {
            bytes += String(value).utf8
        }
    }

    private static func appendEscape(
        _ text: UnsafeBufferPointer<UInt8>, at index: Int, to bytes: inout [UInt8]
    ) {
        switch text[index] {
        case UInt8(ascii: "\""): bytes += [0x5C, 0x22]
        case UInt8(ascii: "\\"): bytes += [0x5C, 0x5C]
        case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
        case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
        case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
        case 0xC2: appendUnit(text[index + 1], to: &bytes)
        case 0xE2: bytes += text[index + 2] == 0xA8 ? "\\u2028".utf8 : "\\u2029".utf8
        default: appendUnit(text[index], to: &bytes)
        }
    }

    private static func appendUnit(_ unit: UInt8, to bytes: inout [UInt8]) {
        bytes += Array("\\u00".utf8)
        bytes.append(Hexadecimal.digits[Int(unit >> 4)])
        bytes.append(Hexadecimal.digits[Int(unit & 15)])
    }
}
