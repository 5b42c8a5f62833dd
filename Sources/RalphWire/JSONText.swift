/// Writing JSON text byte by byte, for the places where an encoder would cost more than the work itself.
public enum JSONText {
    /// Appends `text` as the inside of a JSON string, without quotes.
    ///
    /// Quotes, backslashes, controls (U+0080 to U+009F too), and U+2028 and U+2029, at which the real client's line reader
    /// breaks (http-contract 4.2), are escaped. Invalid UTF-8 must not come in.
    public static func appendEscaped(_ text: some Sequence<UInt8>, to bytes: inout [UInt8]) {
        var pending: (first: UInt8, second: UInt8) = (0, 0)
        for byte in text {
            if pending.second != 0 {
                if byte == 0xA8 || byte == 0xA9 {
                    bytes += byte == 0xA8 ? Array("\\u2028".utf8) : Array("\\u2029".utf8)
                } else {
                    bytes += [pending.first, pending.second, byte]
                }
                pending = (0, 0)
            } else if pending.first == 0xC2 {
                if byte < 0xA0 { appendUnit(byte, to: &bytes) } else { bytes += [0xC2, byte] }
                pending.first = 0
            } else if pending.first == 0xE2 {
                if byte == 0x80 { pending.second = byte } else { bytes += [0xE2, byte]; pending.first = 0 }
            } else if byte == 0xC2 || byte == 0xE2 {
                pending.first = byte
            } else {
                appendEscaped(asciiOrPart: byte, to: &bytes)
            }
        }
    }

    /// Appends `text` as a JSON string with its quotes.
    public static func appendString(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text.utf8, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends `value` in decimal digits.
    public static func appendInteger(_ value: some BinaryInteger, to bytes: inout [UInt8]) {
        if value < 10, value >= 0 {
            bytes.append(48 + UInt8(value))
        } else {
            bytes += Array(String(value).utf8)
        }
    }

    private static func appendEscaped(asciiOrPart byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): bytes += [0x5C, 0x22]
        case UInt8(ascii: "\\"): bytes += [0x5C, 0x5C]
        case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
        case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
        case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
        case 0..<0x20, 0x7F: appendUnit(byte, to: &bytes)
        default: bytes.append(byte)
        }
    }

    private static func appendUnit(_ unit: UInt8, to bytes: inout [UInt8]) {
        bytes += Array("\\u00".utf8)
        bytes.append(hexDigits[Int(unit >> 4)])
        bytes.append(hexDigits[Int(unit & 15)])
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
