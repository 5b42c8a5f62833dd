/// Byte-wise reading of UTF-8 (RFC 3629) and of JSON's `\u` escapes.
enum UTF8Text {
    /// The length of the well-formed character at `bytes`, 1 to 4; 0: it is not well-formed.
    static func sequenceLength(_ bytes: UnsafePointer<UInt8>, _ available: Int) -> Int {
        let first = bytes[0]
        if first < 0x80 { return 1 }
        guard first >= 0xC2, first <= 0xF4, available >= 2 else { return 0 }
        let second = bytes[1]
        if first < 0xE0 { return second & 0xC0 == 0x80 ? 2 : 0 }
        guard available >= 3, bytes[2] & 0xC0 == 0x80 else { return 0 }
        switch first {
        case 0xE0: return (0xA0...0xBF).contains(second) ? 3 : 0
        case 0xED: return (0x80...0x9F).contains(second) ? 3 : 0
        case ..<0xF0: return second & 0xC0 == 0x80 ? 3 : 0
        default: break
        }
        guard available >= 4, bytes[3] & 0xC0 == 0x80 else { return 0 }
        switch first {
        case 0xF0: return (0x90...0xBF).contains(second) ? 4 : 0
        case 0xF4: return (0x80...0x8F).contains(second) ? 4 : 0
        default: return second & 0xC0 == 0x80 ? 4 : 0
        }
    }

    /// Whether the character of `length` bytes, two or more, is a control, U+0080 to U+009F, or U+2028 or U+2029
    /// (http-contract 4.2): lines break at some, terminals obey others.
    static func isControl(_ bytes: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        if length == 2 { return bytes[0] == 0xC2 && bytes[1] < 0xA0 }
        return length == 3 && bytes[0] == 0xE2 && bytes[1] == 0x80 && bytes[2] & 0xFE == 0xA8
    }

    /// The text of a file, its broken UTF-8 repaired.
    ///
    /// - Parameter isCut: whether more followed, so that the beginning of a character at the end is no fault of the file.
    static func repaired(_ bytes: [UInt8], isCut: Bool) -> String {
        String(decoding: isCut ? wholeCharacters(bytes) : bytes[...], as: UTF8.self)
    }

    /// `bytes` without the beginning of a character at their end.
    private static func wholeCharacters(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        var end = bytes.count
        while end > 0, bytes.count - end < 4, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        guard end > 0, bytes[end - 1] >= 0xC0 else { return bytes[...] }
        let length = bytes[end - 1] >= 0xF0 ? 4 : bytes[end - 1] >= 0xE0 ? 3 : 2
        return bytes.count - end + 1 == length ? bytes[...] : bytes[..<(end - 1)]
    }

    /// The value of the four hexadecimal digits at `bytes`.
    static func hexUnit(_ bytes: UnsafePointer<UInt8>) -> UInt16? {
        var value: UInt16 = 0
        for place in 0..<4 {
            let byte = bytes[place]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    /// Writes the UTF-8 form of `scalar`, which is no surrogate and at most 0x10FFFF, and gives its length, 1 to 4.
    static func write(_ scalar: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
        func rest(_ shift: UInt32) -> UInt8 { UInt8(0x80 | scalar >> shift & 0x3F) }
        if scalar < 0x80 {
            bytes[0] = UInt8(scalar)
            return 1
        }
        if scalar < 0x800 {
            bytes[0] = UInt8(0xC0 | scalar >> 6)
            bytes[1] = rest(0)
            return 2
        }
        if scalar < 0x10000 {
            bytes[0] = UInt8(0xE0 | scalar >> 12)
            bytes[1] = rest(6)
            bytes[2] = rest(0)
            return 3
        }
        bytes[0] = UInt8(0xF0 | scalar >> 18)
        bytes[1] = rest(12)
        bytes[2] = rest(6)
        bytes[3] = rest(0)
        return 4
    }
}
